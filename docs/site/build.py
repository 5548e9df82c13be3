#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Builds the site: docs/ and the pages that are generated, as HTML in OUT/html.

    build.py --build BUILD --tridia BUILD/bin/tridia --out BUILD/site

BUILD/python is the Python package. A copy of docs/ goes to OUT/tree/docs, beside links to the rest of
the sources, so that links from page to source hold there; the generated pages join it. Any warning
fails the build.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import c_headers  # noqa: E402
import command_line  # noqa: E402
import fortran_module  # noqa: E402
import gallery  # noqa: E402
import pictures  # noqa: E402
import repository_links  # noqa: E402
import staged_examples  # noqa: E402


def stage_tree(tree, kept):
    """Copies docs/ into the tree, links the rest, and removes pages that are no longer there."""
    docs = tree / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    for entry in ROOT.iterdir():
        if entry.name in ("docs", "build", ".git"):
            continue
        link = tree / entry.name
        if not link.exists():
            link.symlink_to(entry)
    sources = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*")
               if path.is_file() and "__pycache__" not in path.parts}
    for path in list(docs.rglob("*")):
        name = path.relative_to(docs)
        if path.is_file() and name not in sources and name.parts[0] not in kept:
            path.unlink()
    for name in sources:
        new, old = ROOT / "docs" / name, docs / name
        if not old.is_file() or old.stat().st_mtime != new.stat().st_mtime:
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(new, old)


def remove_old_examples(gallery_pages):
    """Removes pages of examples that are no longer there, which sphinx-gallery keeps."""
    names = {path.stem for path in (ROOT / "examples" / "python").glob("*.py")} | {"index"}
    for page in gallery_pages.glob("*.rst"):
        if page.stem not in names:
            page.unlink()


def doxygen(out):
    """Makes XML of the public headers; doxygen's warnings are errors."""
    out.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "docs" / "Doxyfile").read_text(encoding="utf-8")
    subprocess.run(["doxygen", "-"], cwd=ROOT, check=True, text=True,
                   input=f"{settings}\nOUTPUT_DIRECTORY = {out}\n")


def sphinx(docs, html, environment):
    """Makes HTML of the pages; a page that is no longer there does not stay."""
    shutil.rmtree(html, ignore_errors=True)
    subprocess.run([sys.executable, "-B", "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q",
                    "-c", ROOT / "docs", "-d", html.parent / "doctrees", docs, html],
                   check=True, env={**os.environ, **environment})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--build", "--tridia", "--out"):
        parser.add_argument(name, required=True, type=lambda text: Path(text).resolve())
    arguments = parser.parse_args()
    tree, html = arguments.out / "tree", arguments.out / "html"
    docs, examples = tree / "docs", arguments.out / "examples"

    stage_tree(tree, kept=("gallery", "generated", *repository_links.PAGES.values()))
    generated = docs / "generated"
    generated.mkdir(exist_ok=True)
    pictures.draw_all(generated)
    command_line.write(arguments.tridia, generated)
    c_headers.write(ROOT / "include", generated)
    fortran_module.write(ROOT / "fortran", generated)
    remove_old_examples(docs / "gallery")
    repository_links.stage_pages(ROOT, docs)
    repository_links.stage_indices(docs)
    staged_examples.stage(ROOT / "examples" / "python", examples, gallery.is_run, "examples")
    doxygen(arguments.out / "doxygen")
    sphinx(docs, html, {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join((str(arguments.build / "python"), str(ROOT / "docs" / "site"))),
        "TRIDIA_SITE_SOURCES": str(ROOT),
        "TRIDIA_SITE_DOXYGEN": str(arguments.out / "doxygen" / "xml"),
        "TRIDIA_SITE_EXAMPLES": str(examples),
    })
    version = subprocess.run([arguments.tridia, "--version"], capture_output=True, text=True,
                             check=True).stdout.split()[-1]
    with tarfile.open(arguments.out / f"tridia-{version}-site.tar.gz", "w:gz") as archive:
        archive.add(html, f"tridia-{version}-site")


if __name__ == "__main__":
    main()
