# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The reference of the Fortran module: its types, and the interfaces of its public procedures with
their comments, from its source. (sphinx-fortran is not kept up.)"""

import re

PROCEDURE = re.compile(
    r"(?P<comment>(?:^  !>.*\n)*)"
    r"^  (?P<head>(?P<result>function|[\w() ,=:]+ function|subroutine) (?P<name>\w+)\((?:[^()]|&\n)*\)"
    r"(?: result\(\w+\))?)\n"
    r"(?P<body>(?:.*\n)*?)"
    r"^  end (?:function|subroutine)\b.*\n", re.MULTILINE)
TYPE = re.compile(r"(?P<comment>(?:^  !>.*\n)*)^  type, public :: (?P<name>\w+)\n(?P<body>(?:.*\n)*?)^  end type\n",
                  re.MULTILINE)
BINDING = re.compile(r"procedure :: (\w+) => (\w+)")


def sentences(comment):
    """Returns a comment's text, from the lines of `!>`."""
    return "\n".join(re.sub(r"^\s*!> ?", "", line) for line in comment.splitlines())


def arguments_of(head):
    inner = re.search(r"\((.*?)\)", head, re.DOTALL)[1]
    return re.findall(r"\w+", inner.replace("&", ""))


def interface(procedure):
    """Returns the head of a procedure and the declarations of its arguments and result."""
    wanted = set(arguments_of(procedure["head"])) | set(re.findall(r"result\((\w+)\)", procedure["head"]))
    if "function" in procedure["result"]:
        wanted.add(procedure["name"])
    lines = [re.sub(r"^  ", "", line) for line in procedure["head"].splitlines()]
    for line in procedure["body"].splitlines():
        declared = re.fullmatch(r"    (?:type|class|integer|logical|character|real|complex)\b.* :: (.*)", line)
        if declared and wanted & set(re.findall(r"\w+", declared[1])):
            lines.append(line[2:])
    return "\n".join(lines)


def block(code):
    return f"```fortran\n{code}\n```\n"


def page(text):
    procedures = {m["name"]: m for m in PROCEDURE.finditer(text)}
    parameters = re.findall(r"^  integer, parameter, public ::(?:.*&\n)*.*\n", text, re.MULTILINE)
    parts = ["# The Fortran module\n\nThis is module `tridia`, from its source. What it is like to use: "
             "[in Fortran](../fortran.md).\n\n" + sentences(re.match(r"(?:!.*\n)+", text)[0].split("\n", 1)[1])
             + "\n", "## Constants\n", block("".join(re.sub(r"^  ", "", p, flags=re.M) for p in parameters).rstrip()),
             "## tridia_solve\n", sentences(procedures["tridia_solve"]["comment"]) + "\n",
             block(interface(procedures["tridia_solve"]))]
    for kind in TYPE.finditer(text):
        components = kind["body"].split("  contains\n")[0]
        parts += [f"## type({kind['name']})\n", sentences(kind["comment"]) + "\n",
                  block(re.sub(r"^    ", "", components, flags=re.MULTILINE).rstrip())]
        for binding, name in BINDING.findall(kind["body"]):
            procedure = procedures[name]
            parts += [f"### {kind['name']} % {binding}\n", sentences(procedure["comment"]) + "\n",
                      block(interface(procedure).replace(name, binding, 1))]
    return "\n".join(parts)


def write(source, folder):
    (folder / "fortran-module.md").write_text(page(source.read_text(encoding="utf-8")), encoding="utf-8")
