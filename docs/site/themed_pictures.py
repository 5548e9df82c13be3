# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""A Sphinx extension: the directive `picture` shows a picture of pictures.py, in the colours of the
theme that is on. Its content is what the picture shows, in words."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Picture(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self):
        words = " ".join(self.content)
        images = [nodes.image(uri=f"/generated/{self.arguments[0]}-{theme}.svg", alt=words,
                              classes=[f"only-{theme}", "picture"]) for theme in ("light", "dark")]
        figure = nodes.figure("", *images, align="default")
        figure += nodes.caption(words, *self.state.inline_text(words, self.lineno)[0]
                                if hasattr(self.state, "inline_text") else [nodes.Text(words)])
        return [figure]


def setup(app):
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
