# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Reduces source text to the tokens that a compiler sees: neither a comment nor white space counts,
everything else does."""

import re

_CPP = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<comment>//[^\n]* | /\*.*?\*/)
    | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)"\w*)
    | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"\w*)
    | (?P<character>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'\w*)
    | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<operator><=>|<<=|>>=|->\*|\.\.\.|::|\.\*|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\#\#
                   |[-+*/%&|^]=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
# This pattern is for text whose lines are not joined yet: a comment goes on after a backslash at
# the end of its line.
_BEFORE_JOINING = re.compile(
    _CPP.pattern.replace(r"//[^\n]*", r"//(?:\\\n|[^\n])*").replace(
        r"(?P<space>", r"(?P<joined>\\\n) | (?P<space>"
    ),
    re.VERBOSE | re.DOTALL,
)


def _join_lines(text):
    """Joins lines that end with a backslash with the next one, except in a raw string."""
    if "\\\n" not in text:
        return text
    return _BEFORE_JOINING.sub(
        lambda m: m.group() if m.lastgroup == "raw" else m.group().replace("\\\n", ""), text
    )


class _Directives:
    """Follows where a directive of the preprocessor begins and ends: the only place in C++ where
    the end of a line, and a blank before a parenthesis, mean something."""

    def __init__(self):
        self.inside = False
        self._line_begins = True
        self._recent = []  # words of the directive so far, and where the last one ends

    def blank(self, text):
        """Returns whether a directive ends here."""
        if "\n" not in text:
            return False
        ended, self.inside, self._line_begins = self.inside, False, True
        return ended

    def token(self, text, begin, end):
        """Returns whether the token is the parenthesis of a macro with parameters."""
        if self._line_begins and text == "#":
            self.inside, self._recent = True, []
        self._line_begins = False
        opens = (
            self.inside
            and text == "("
            and [t for t, _ in self._recent[:2]] == ["#", "define"]
            and len(self._recent) == 3
            and self._recent[2][1] == begin
        )
        self._recent.append((text, end))
        return opens


def cpp_tokens(text):
    """Returns the tokens of C++ or CUDA; each directive ends with a token that is a new line."""
    tokens, directives = [], _Directives()
    for m in _CPP.finditer(_join_lines(text.replace("\r\n", "\n"))):
        if m.lastgroup == "space":
            if directives.blank(m.group()):
                tokens.append("\n")
        elif m.lastgroup != "comment":
            opens = directives.token(m.group(), m.start(), m.end())
            tokens.append("\\(" if opens else m.group())
    if directives.inside:
        tokens.append("\n")
    return tokens


_CMAKE = re.compile(
    r"""
      (?P<comment>\#\[(?P<a>=*)\[.*?\](?P=a)\] | \#[^\n]*)
    | (?P<space>\s+)
    | (?P<bracket>\[(?P<b>=*)\[.*?\](?P=b)\])
    | (?P<quoted>"(?:\\.|[^"\\])*")
    | (?P<bare>(?:\\.|[^\s\#"()\\])+|.)
    """,
    re.VERBOSE | re.DOTALL,
)


def cmake_tokens(text):
    return [m.group() for m in _CMAKE.finditer(text) if m.lastgroup not in ("comment", "space")]


def table_tokens(text):
    """Returns the words of a table whose comments are lines that begin with #."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return [word for line in lines for word in [*line.split(), "\n"] if line.strip()]


_PYTHON = re.compile(
    r"""
      (?P<comment>\#[^\n]*)
    | (?P<string>\"{3}(?:\\.|.)*?\"{3} | \'{3}(?:\\.|.)*?\'{3}
                 | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')
    | (?P<other>[^\#"']+)
    """,
    re.VERBOSE | re.DOTALL,
)


def python_tokens(text):
    """Returns the lines of Python that hold more than a comment, without comments: its own modules
    cut strings in another way with every version."""
    kept = (m.group() for m in _PYTHON.finditer(text) if m.lastgroup != "comment")
    return [line.rstrip() for line in "".join(kept).splitlines() if line.strip()]


def tokens_of(path, text):
    """Returns the tokens of a file, whose kind is known by the end of its name."""
    if path.endswith((".cpp", ".hpp", ".cu", ".cuh", ".hpp.in")):
        return cpp_tokens(text)
    if path.endswith(("CMakeLists.txt", ".cmake")):
        return cmake_tokens(text)
    if path.endswith(".py"):
        return python_tokens(text)
    if path.endswith(".txt"):
        return table_tokens(text)
    raise ValueError(f"{path}: nothing says what a comment is in such a file")
