# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The reference of the command line, which is what `tridia --help` and `tridia COMMAND --help` say."""

import re
import subprocess

# These are programs of their own, built with the benchmarks, and described in bench/README.md.
ELSEWHERE = ("bench", "reproduce")


def help_of(tridia, *command):
    return subprocess.run([tridia, *command, "--help"], capture_output=True, text=True,
                          check=True).stdout.strip()


def commands(text):
    """Returns the names of the subcommands that a help text lists."""
    listed = text.split("Subcommands:", 1)[1]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


def page(tridia):
    text = help_of(tridia)
    parts = ["# The command line\n\nEvery command says this by `--help`. What it is for, by examples: "
             "[the README](../../README.md#in-the-shell). `tridia bench` and `tridia reproduce`: "
             "[benchmarks](../../bench/README.md).\n",
             f"```text\n{text}\n```\n"]
    for name in commands(text):
        if name not in ELSEWHERE:
            parts.append(f"## tridia {name}\n\n```text\n{help_of(tridia, name)}\n```\n")
    return "\n".join(parts)


def write(tridia, folder):
    (folder / "command-line.md").write_text(page(tridia), encoding="utf-8")
