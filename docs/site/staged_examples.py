# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The examples as sphinx-gallery wants them: titles of cells and of scripts as reStructuredText.

The scripts themselves have titles that an editor's reader sees, `# %% The market`, and a docstring
that begins with a sentence.
"""

import re

HEADER = """Examples with pictures
======================

Each of these is a script that checks its result, and draws the picture that is shown. The site's build runs
those that need no PyTorch. Other programs are :doc:`on a page of their own </more-examples>`.
"""


def rest_of(docstring):
    """Returns a docstring with a title; lines that are set apart are literal, the usage is left out."""
    first, *others = docstring.strip().split("\n\n")
    title = " ".join(first.split()).rstrip(".")
    text = [f"{title}\n{'=' * len(title)}"]
    for paragraph in others:
        if re.match(r"    \S+\.py\b", paragraph):
            continue
        text.append("::\n\n" + paragraph if paragraph.startswith("    ") else paragraph)
    return "\n\n".join(text)


def staged(script, picture=None):
    """Returns the text of an example for the gallery; `picture` is shown where it is not run."""
    _, docstring, code = script.split('"""', 2)
    title = lambda m: f"# %%\n# {m[1]}\n# {'-' * len(m[1])}\n"  # noqa: E731
    code = re.sub(r"^# %% (.+)\n", title, code, flags=re.MULTILINE)
    shown = ""
    if picture:
        shown = (f"\n\n.. image:: /{picture}\n   :alt: what the example draws\n\nThis site's build does not "
                 "run this example: the picture was drawn before.")
        code += f'\n# sphinx_gallery_thumbnail_path = "{picture}"\n'
    return f'r"""\n{rest_of(docstring)}{shown}\n"""\n{code.lstrip()}'


def stage(sources, target, run, pictures):
    """Writes the examples of a folder for the gallery. `run` says of a name whether it is run, and
    `pictures` is where those of the others are, below the site's sources."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "GALLERY_HEADER.rst").write_text(HEADER, encoding="utf-8")
    for path in sorted(sources.glob("*.py")):
        picture = None if run(path.stem) else f"{pictures}/{path.stem}.png"
        text = staged(path.read_text(encoding="utf-8"), picture)
        if not (target / path.name).is_file() or (target / path.name).read_text("utf-8") != text:
            (target / path.name).write_text(text, encoding="utf-8")
