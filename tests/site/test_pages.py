#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the pages of the built site: no link inside it is dead, no page fetches anything, all are
within two clicks of the start, and the search's index is a script that knows the words of the pages.

    test_pages.py HTML
"""

import json
import re
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
HTML = None
# What a browser loads by itself with a page, as opposed to links that a reader follows.
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


class Page(HTMLParser):
    """Collects a page's targets, links and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = {""}, [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for key in ("id", "name"):
            if attributes.get(key):
                self.ids.add(attributes[key])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        loaded = attributes.get(LOADS.get(tag))
        # A link element names, rather than loads, what it is about.
        if loaded and not (tag == "link" and attributes.get("rel") in
                           ("index", "search", "next", "prev", "author", "copyright", "canonical")):
            self.loads.append(loaded)


def pages_of(folder):
    return {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))
            if "_downloads" not in path.parts and "_static" not in path.parts}


def dead_links(pages):
    """Returns what is wrong with links and loads that stay within the site."""
    wrong = []
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                wrong.append(f"{path.name}: {link} is not there")
            elif target in pages and unquote(parts.fragment) not in pages[target].ids:
                wrong.append(f"{path.name}: {link} has no such place")
    return wrong


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = pages_of(HTML)

    def test_there_are_pages(self):
        self.assertGreaterEqual(len(self.pages), 55)
        links = sum(len(page.links) for page in self.pages.values())
        self.assertGreater(links, 2000)

    def test_no_link_is_dead(self):
        self.assertEqual(dead_links(self.pages), [])

    def test_nothing_comes_from_elsewhere(self):
        """A page from a file:// address may load files beside it, and nothing else."""
        elsewhere = [f"{path.name}: {link}" for path, page in self.pages.items() for link in page.loads
                     if urlsplit(link).scheme not in ("", "data") or urlsplit(link).netloc]
        self.assertEqual(elsewhere, [])
        for sheet in (HTML / "_static").rglob("*.css"):
            urls = re.findall(r"(?:url\(\s*['\"]?|@import\s+['\"])(https?:|//)", sheet.read_text("utf-8"))
            self.assertEqual(urls, [], sheet.name)

    def test_two_clicks(self):
        """From the start page every page is a link away, or two."""
        def linked(path):
            return {(path.parent / unquote(urlsplit(link).path)).resolve() for link in self.pages[path].links
                    if urlsplit(link).path and not urlsplit(link).scheme} & self.pages.keys()
        start = (HTML / "index.html").resolve()
        near = {start} | linked(start)
        near |= {page for path in list(near) for page in linked(path)}
        far = {path.name for path in self.pages.keys() - near} - {"search.html"}
        self.assertEqual(far, set())

    def test_search_needs_no_fetch(self):
        page = (HTML / "search.html").read_text(encoding="utf-8")
        self.assertRegex(page, r'<script src="searchindex\.js"')  # a script, which file:// may load
        options = (HTML / "_static" / "documentation_options.js").read_text(encoding="utf-8")
        # The search's only fetch is of the pages that it has found, for a summary of each.
        self.assertRegex(options, r"SHOW_SEARCH_SUMMARY: false")
        tools = (HTML / "_static" / "searchtools.js").read_text(encoding="utf-8")
        fetches = [m.start() for m in re.finditer(r"\bfetch\(|XMLHttpRequest|\.ajax\(|import\(", tools)]
        self.assertEqual(len(fetches), 1)
        before = tools[:fetches[0]]
        self.assertRegex(before[before.rfind("if ("):], r"^if \(showSearchSummary\)\s*$")

    def test_search_finds(self):
        text = (HTML / "searchindex.js").read_text(encoding="utf-8")
        self.assertTrue(text.startswith("Search.setIndex("))
        index = json.loads(text[len("Search.setIndex("):text.rindex(")")])
        names = index["docnames"]

        def found(word):
            places = [index[kind].get(word, []) for kind in ("terms", "titleterms")]
            return {names[k] for some in places for k in (some if isinstance(some, list) else [some])}
        self.assertIn("howto/from-cusparse", found("cuspars"))  # the index has stems
        self.assertIn("learn/methods", found("reduct"))
        self.assertIn("reference/python", {names[v[0]] for v in index["objects"]["tridia"]})

    def test_references_are_whole(self):
        """Every header of C++, function of C and public name of Python has its place."""
        headers = {path.stem for path in (ROOT / "include" / "tridia").glob("*.hpp")}
        for name in headers - {"tridia", "version"}:  # includes alone, and macros
            path = (HTML / "reference" / "cpp" / f"{name}.html").resolve()
            self.assertIn(path, self.pages)
            self.assertTrue([i for i in self.pages[path].ids if i.startswith("_CPPv4")], name)
        device = (HTML / "reference" / "cpp" / "device.html").read_text(encoding="utf-8")
        for path in (ROOT / "include" / "tridia" / "device").glob("*.cuh"):
            self.assertIn(f"tridia/device/{path.name}", device)
        c = set().union(*(self.pages[(HTML / "generated" / f"{name}.html").resolve()].ids
                          for name in ("c", "c-distributed")))
        symbols = (ROOT / "tests" / "c_api" / "symbols.txt").read_text(encoding="utf-8").split()
        self.assertGreater(len(symbols), 100)
        self.assertEqual([name for name in symbols if f"c.{name}" not in c], [])
        import tridia
        python = self.pages[(HTML / "reference" / "python.html").resolve()].ids
        self.assertEqual([name for name in tridia.__all__ if f"tridia.{name}" not in python], [])

    def test_pictures(self):
        """Every method has its picture for both themes, and every example its own."""
        methods = (HTML / "learn" / "methods.html").read_text(encoding="utf-8")
        for name in ("thomas", "cr", "pcr", "cr_pcr", "pcr_thomas", "packed_cr", "partition", "scan",
                     "strategies", "sums"):
            for theme in ("light", "dark"):
                self.assertIn(f"/{name}-{theme}.svg", methods)
        gallery = list((HTML / "_images").glob("sphx_glr_*.png"))
        self.assertGreaterEqual(len(gallery), 8)

    def test_it_can_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "a.html").write_text('<p id="x"><a href="b.html#y">y</a><a href="#x">x</a>'
                                           '<a href="c.html">c</a><img src="d.png"></p>', "utf-8")
            (folder / "b.html").write_text("<p></p>", "utf-8")
            self.assertEqual(dead_links(pages_of(folder)), [
                "a.html: b.html#y has no such place", "a.html: c.html is not there",
                "a.html: d.png is not there"])


if __name__ == "__main__":
    HTML = Path(sys.argv.pop(1))
    unittest.main()
