# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's configuration of the site. docs/site/build.py runs Sphinx, on a copy of this folder that
has the generated pages, and says by the environment where what they are made from is."""

import os

import gallery
import tridia

project = "tridia"
author = "the tridia authors"
copyright = "the tridia authors, BSD-3-Clause"
version = release = tridia.__version__
language = "en"

extensions = [
    "breathe",
    "myst_parser",
    "repository_links",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "themed_pictures",
]
exclude_patterns = ["site/**"]

# Headings are targets under the names that GitHub gives them, to the depth that links use.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block", "colon_fence"]

breathe_projects = {"tridia": os.environ["TRIDIA_SITE_DOXYGEN"]}
breathe_default_project = "tridia"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_default_members = ("members", "undoc-members")
breathe_show_include = False

autodoc_typehints = "none"  # The docstrings give the types.
autodoc_member_order = "bysource"
napoleon_use_rtype = False

sphinx_gallery_conf = gallery.configuration(os.environ["TRIDIA_SITE_EXAMPLES"])

pygments_dark_style = "github-dark"
html_theme = "furo"
html_title = f"tridia {version}"
html_static_path = ["site/static"]
html_css_files = ["tridia.css"]
html_copy_source = False
html_domain_indices = False
html_show_sourcelink = False
# The page of the search fetches nothing, so that it works from a file:// address: its index is a script,
# while summaries of what it finds would be fetched from the pages.
html_show_search_summary = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fb4", "color-brand-content": "#1f5fb4"},
    "dark_css_variables": {"color-brand-primary": "#7fb2ef", "color-brand-content": "#7fb2ef"},
}
