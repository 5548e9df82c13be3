# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The reference of the Fortran modules: their types, and the interfaces of their public procedures with
their comments, from the sources. (sphinx-fortran is not kept up.)"""

import re

PROCEDURE = re.compile(
    r"(?P<comment>(?:^  !>.*\n)*)"
    r"^  (?P<head>(?P<kind>function|[\w() ,=:]+ function|subroutine) (?P<name>\w+)\((?:[^()]|&\n)*\)"
    r"(?: result\(\w+\))?)\n"
    r"(?P<body>(?:.*\n)*?)"
    r"^  end (?:function|subroutine)\b.*\n", re.MULTILINE)
TYPE = re.compile(r"(?P<comment>(?:^  !>.*\n)*)^  type, public :: (?P<name>\w+)\n(?P<body>(?:.*\n)*?)"
                  r"^  end type\n", re.MULTILINE)
GENERIC = re.compile(r"(?P<comment>(?:^  !>.*\n)*)^  interface (?P<name>\w+)\n"
                     r"    module procedure (?P<procedures>.*)\n", re.MULTILINE)
PRIVATE = re.compile(r"^    .*, private ::.*\n", re.MULTILINE)
BINDING = re.compile(r"procedure :: (\w+) => (\w+)")
PARAMETERS = re.compile(r"^  integer, parameter, public ::(?:.*&\n)*.*\n", re.MULTILINE)
BOUNDS = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
INCLUDE = re.compile(r"^  include '(.*)'\n", re.MULTILINE)
MODULE = re.compile(r"(?P<comment>(?:^!>.*\n)+)^module (?P<name>\w+)\n", re.MULTILINE)


def sentences(comment):
    """Returns a comment's text, from the lines of `!>`."""
    return "\n".join(re.sub(r"^\s*!> ?", "", line) for line in comment.splitlines()) + "\n"


def block(code):
    return f"```fortran\n{code}\n```\n"


def interface(procedure, name):
    """Returns the head of a procedure, under a name, and the declarations of its arguments and result."""
    arguments = re.search(procedure["name"] + r"\((.*?)\)", procedure["head"], re.DOTALL)[1].replace("&", "")
    wanted = set(re.findall(r"\w+", arguments)) | set(re.findall(r"result\((\w+)\)", procedure["head"]))
    if "function" in procedure["kind"]:
        wanted.add(procedure["name"])
    lines = [re.sub(r"^  ", "", line) for line in procedure["head"].splitlines()]
    for line in procedure["body"].splitlines():
        declared = re.fullmatch(r"    (?:type|class|integer|logical|character|real|complex)\b.* :: (.*)", line)
        if declared and wanted & set(re.findall(r"\w+", BOUNDS.sub("", declared[1]))):
            lines.append(line[2:])
    return "\n".join(lines).replace(procedure["name"], name, 1)


def section(level, title, comment, code):
    return [f"{level} {title}\n", sentences(comment), block(code)]


def module_page(text):
    """Returns the part of the page that is about one module."""
    module = MODULE.search(text)
    procedures = {m["name"]: m for m in PROCEDURE.finditer(text)}
    parts = [f"## Module {module['name']}\n", sentences(module["comment"])]
    parameters = "".join(re.sub(r"^  ", "", p, flags=re.MULTILINE) for p in PARAMETERS.findall(text)).rstrip()
    if parameters:
        parts.append(block(parameters))
    for name in re.findall(r"^  public :: (\w+)$", text, re.MULTILINE):
        if name in procedures:
            parts += section("###", name, procedures[name]["comment"], interface(procedures[name], name))
    for generic in GENERIC.finditer(text):
        forms = [interface(procedures[name], generic["name"])
                 for name in re.findall(r"\w+", generic["procedures"])]
        parts += section("###", generic["name"], generic["comment"], "\n\n".join(forms))
    for kind in TYPE.finditer(text):
        components = re.sub(r"^    ", "", PRIVATE.sub("", kind["body"].split("  contains\n")[0]),
                            flags=re.MULTILINE)
        parts += section("###", f"type({kind['name']})", kind["comment"], components.rstrip())
        for binding, name in BINDING.findall(kind["body"]):
            parts += section("####", f"{kind['name']}%{binding}", procedures[name]["comment"],
                             interface(procedures[name], binding))
    return "\n".join(parts)


def page(texts):
    """Returns the page of all modules that a user uses; those that end in _c are the C interface."""
    modules = [text for text in texts if MODULE.search(text) and not MODULE.search(text)["name"].endswith("_c")]
    return ("# The Fortran modules\n\nThis page is made from the sources. How to use them: "
            "[in Fortran](../fortran.md).\n\n" + "\n".join(module_page(text) for text in modules))


def source(path):
    """Returns the text of a module with that of the files that it includes."""
    return INCLUDE.sub(lambda m: (path.parent / m[1]).read_text(encoding="utf-8"),
                       path.read_text(encoding="utf-8"))


def write(sources, folder):
    texts = [source(path) for path in sorted(sources.glob("*.f90"))]
    (folder / "fortran-module.md").write_text(page(texts), encoding="utf-8")
