# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""A Sphinx extension: links of the pages to files of the repository hold in the site as well.

A page of docs/ links to what lies beside it, and to sources, headers, results and the README by their
paths, as GitHub wants it. In the site a header is a page of the reference, an example one of the
gallery, the README and its like are pages of the site; a folder is its name alone. Other files are
copied into the site, by MyST.
"""

import os
import re
from pathlib import Path, PurePosixPath

PAGES = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "bench/README.md": "benchmarks.md",
    "examples/python/README.md": "gallery/index.rst",
    "include/tridia.h": "generated/c.md",
    "include/tridia_mpi.h": "generated/c-distributed.md",
    "include/tridia_nccl.h": "generated/c-distributed.md",
}
FOLDERS = ((re.compile(r"include/tridia/(\w+)\.hpp"), r"reference/cpp/\1.md"),
           (re.compile(r"examples/python/(\w+)\.py"), r"gallery/\1.rst"))
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def page_of(path):
    """Returns the page of the site, below docs/, that stands for a file of the repository, or none."""
    for pattern, page in FOLDERS:
        if pattern.fullmatch(path):
            return pattern.sub(page, path)
    return PAGES.get(path)


def rewritten(text, folder, page_folder, root):
    """Returns the text of a file of the repository's `folder`, with links that hold in a page whose
    source lies in `page_folder`."""
    def link(m):
        target, hash_, anchor = m[3].partition("#")
        if not target or "://" in target or target.startswith(("mailto:", "/")):
            return m[0]
        path = PurePosixPath(os.path.normpath(folder / target))
        if not (Path(root) / path).exists():
            return m[0]  # It is none, or MyST's warning says which.
        if (Path(root) / path).is_dir():
            readme = path / "README.md"
            if not (Path(root) / readme).is_file():
                return m[2]
            path = readme
        page = page_of(str(path))
        if page:
            path = PurePosixPath("docs") / page
        return f"{m[1]}[{m[2]}]({os.path.relpath(path, page_folder)}{hash_}{anchor})"
    return LINK.sub(link, text)


def on_source(app, name, content):
    path = PurePosixPath(os.path.relpath(app.env.doc2path(name), app.srcdir.parent))
    if path.suffix == ".md":
        content[0] = rewritten(content[0], path.parent, path.parent, app.srcdir.parent)


def stage_pages(root, docs):
    """Writes the pages that are files of the repository's other folders, the README say."""
    for name, page in PAGES.items():
        if name.endswith(".md") and page.endswith(".md"):
            text = (root / name).read_text(encoding="utf-8")
            (docs / page).write_text(
                rewritten(text, PurePosixPath(name).parent, PurePosixPath("docs"), root), encoding="utf-8")


def stage_indices(docs):
    """Makes the README of a folder below docs/ the index of its other pages."""
    for readme in docs.glob("*/README.md"):
        text = readme.read_text(encoding="utf-8")
        pages = [name for name in re.findall(r"\]\(([\w-]+)\.md\)", text)]
        readme.write_text(f"{text}\n:::{{toctree}}\n:hidden:\n\n" + "\n".join(dict.fromkeys(pages))
                          + "\n:::\n", encoding="utf-8")


def setup(app):
    app.connect("source-read", on_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
