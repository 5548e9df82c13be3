# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Comments and white space do not count in a digest, and nothing else is left out."""

import unittest

from tool import lexer


class Cpp(unittest.TestCase):
    def same(self, one, other):
        self.assertEqual(lexer.cpp_tokens(one), lexer.cpp_tokens(other))

    def differ(self, one, other):
        self.assertNotEqual(lexer.cpp_tokens(one), lexer.cpp_tokens(other))

    def test_comments_are_left_out(self):
        self.same("int a; // one\nint b;", "int a; /* two */ int b;")
        self.same("int /* in the\nmiddle */ a;", "int a;")
        self.same("a /**/ b", "a b")
        self.same("a // goes on \\\n here\nb", "a b")
        self.same("a //* no block\nb */ c", "a\nb */ c")

    def test_white_space_is_left_out(self):
        self.same("f(a,b){return a+b;}", "f ( a,\n   b )\n{\n\treturn a + b ;\r\n}")
        self.same("int a\\\n= 3;", "int a = 3;")

    def test_words_stay_apart(self):
        self.differ("int x", "intx")
        self.differ("a/**/b", "ab")
        self.differ("x+ +y", "x++y")
        self.differ("a < -b", "a <- b - c")
        self.differ("1 .5", "1.5")
        self.same("x+++y", "x++ + y")

    def test_lines_are_joined_before_words_are_told_apart(self):
        self.same("in\\\nt a;", "int a;")
        self.differ("in t a;", "int a;")

    def test_strings_keep_what_they_hold(self):
        self.differ('"a  b"', '"a b"')
        self.same('"a // b" c', '"a // b"   c')
        self.differ('"a // b"', '"a // c"')
        self.differ('"/* a */"', '"/* b */"')
        self.same(r'"\"" // x', r'"\""')
        self.differ(r'"\\" a // "', r'"\\" b // "')
        self.differ('u8"a"', '"a"')
        self.same('"a" "b"', '"a"\n"b"')

    def test_characters_are_no_strings(self):
        self.same("'\"' // \"", "'\"'")
        self.differ("'\"' + a", "'\"' + b")
        self.same(r"'\'' /* ' */ a", r"'\'' a")
        self.differ("'//'", "'/*'")

    def test_digits_may_be_separated(self):
        self.same("1'000'000 /* ' */", "1'000'000")
        self.differ("1'000 + a", "1'000 + b")
        self.same("0x1p-3f + 1e+5", "0x1p-3f+1e+5")
        self.differ("1e+5", "1e +5")

    def test_raw_strings_keep_everything(self):
        self.differ('R"(a // b)"', 'R"(a)"')
        self.differ('R"(a\n b)"', 'R"(a b)"')
        self.differ('R"x(a)" b)x"', 'R"x(a)"  b)x"')
        self.differ('R"(a\\\nb)"', 'R"(ab)"')
        self.same('u8R"(a)" // b', 'u8R"(a)"')
        self.same('WORD_R"(a)" // b', 'WORD_R"(a)"')

    def test_directives_end_with_their_line(self):
        self.differ("#define A b\nc", "#define A b c")
        self.same("#define A b\n\nc", "  #  define A  b // d\nc")
        self.same("#define A b \\\n c\nd", "#define A b c\nd")
        self.same("#define A /* \n */ b\nc", "#define A b\nc")
        self.same("#define A", "#define A\n")

    def test_a_macro_with_parameters_is_another_one(self):
        self.differ("#define A(x) b", "#define A (x) b")
        self.same("#define A( x )b", "#define A(x) b")
        self.same("#define A (x)", "#define A   (x)")

    def test_a_hash_elsewhere_is_no_directive(self):
        self.same("a #b\nc", "a # b c")

    def test_what_is_broken_is_read_to_its_end(self):
        self.differ("#error don't\na", "#error don't\nb")
        self.differ('"open\na', '"open\nb')


class Others(unittest.TestCase):
    def test_cmake(self):
        same = lexer.cmake_tokens
        self.assertEqual(same("set(a  b) # c\n#[[ d\n ]]\nset(e)"), same("set(a b)\nset(e)"))
        self.assertNotEqual(same('set(a "#b")'), same('set(a "#c")'))
        self.assertNotEqual(same('set(a "b  c")'), same('set(a "b c")'))
        self.assertNotEqual(same("set(a [[#b]])"), same("set(a [[#c]])"))
        self.assertNotEqual(same("set(a b)"), same("set(ab)"))

    def test_tables(self):
        same = lexer.table_tokens
        self.assertEqual(same("# x\na  b\n\nc\n"), same("a b\nc"))
        self.assertNotEqual(same("a b\nc"), same("a\nb c"))

    def test_other_files_are_refused(self):
        with self.assertRaises(ValueError):
            lexer.tokens_of("a.rs", "")

    def test_python(self):
        same = lexer.python_tokens
        self.assertEqual(same("# x\nif a:\n  b(1)  # \"y\n\n"), same("if a:\n  b(1)\n"))
        self.assertNotEqual(same("if a:\n  b\nc\n"), same("if a:\n  b\n  c\n"))
        for text in ("'# a'", '"# \\" # a"', '"""# a\n " # b"""'):
            self.assertEqual("\n".join(same(text + "  # c")), text)


if __name__ == "__main__":
    unittest.main()
