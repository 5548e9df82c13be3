// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/npy_header.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tridia::cli {
namespace {

using namespace std::string_literals;

npy_header parse(std::string_view file) {
  return parse_npy_header(std::as_bytes(std::span(file.data(), file.size())));
}

std::string file_with(const std::string& text, int version = 1) {
  std::string file = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) {
    file += static_cast<char>(static_cast<unsigned char>(text.size() >> (8 * k) & 0xff));
  }
  return file + text;
}

std::string dict(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string refusal(const std::string& file) {
  try {
    parse(file);
  } catch (const npy_error& e) {
    return e.what();
  }
  return "";
}

void expect_refusal(const std::string& file, const std::string& words) {
  const std::string sentence = refusal(file);
  EXPECT_NE(sentence.find(words), std::string::npos) << "'" << sentence << "' lacks: " << words;
}

TEST(NpyHeader, ReadsEveryTypeOrderAndVersion) {
  const std::pair<const char*, value_type> types[] = {{"'<f4'", value_type::f32},
                                                      {"'<f8'", value_type::f64},
                                                      {"'<c8'", value_type::c64},
                                                      {"'<c16'", value_type::c128}};
  for (const auto& [descr, type] : types) {
    for (const bool fortran : {false, true}) {
      for (const int version : {1, 2, 3}) {
        const std::string file =
            file_with(dict(descr, fortran ? "True" : "False", "(3, 4)"), version);
        EXPECT_EQ(parse(file), (npy_header{type, fortran, {3, 4}, file.size()}));
      }
    }
  }
}

TEST(NpyHeader, ReadsShapes) {
  const auto shape = [](const std::string& text) {
    return parse(file_with(dict("'<f8'", "False", text))).shape;
  };
  EXPECT_EQ(shape("()"), (std::vector<index_t>{}));
  EXPECT_EQ(shape("(7,)"), (std::vector<index_t>{7}));
  EXPECT_EQ(shape("(0,)"), (std::vector<index_t>{0}));
  EXPECT_EQ(shape("( 2 ,3 , 4,)"), (std::vector<index_t>{2, 3, 4}));
}

TEST(NpyHeader, KeysInAnyOrderWithAnyQuotesAndSpace) {
  const std::string text = "{\"shape\":(5,),\n\t'fortran_order' : True , \"descr\":\"<c8\"}   \n";
  const npy_header h = parse(file_with(text));
  EXPECT_EQ(h.shape, (std::vector<index_t>{5}));
  EXPECT_TRUE(h.fortran_order);
  EXPECT_EQ(h.type, value_type::c64);
}

TEST(NpyHeader, DataMayFollow) {
  const std::string header = file_with(dict("'<f8'", "False", "(1,)"));
  EXPECT_EQ(parse(header + "12345678").data_offset, header.size());
}

TEST(NpyHeader, WhatItFormatsItReads) {
  for (const value_type type :
       {value_type::f32, value_type::f64, value_type::c64, value_type::c128}) {
    npy_header h{type, true, {12, 0, 123456789012}, 0};
    const std::string text = format_npy_header(h);
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(text.back(), '\n');
    h.data_offset = text.size();
    EXPECT_EQ(parse(text), h);
  }
}

TEST(NpyHeader, RefusesOtherTypes) {
  const auto with_type = [](const std::string& descr) {
    return file_with(dict(descr, "False", "(3,)"));
  };
  expect_refusal(with_type("'>f8'"), "big-endian");
  expect_refusal(with_type("'|O'"), "Python objects");
  expect_refusal(with_type("'<i8'"), "the type '<i8'");
  expect_refusal(with_type("'<f2'"), "the type '<f2'");
  expect_refusal(with_type("'|b1'"), "the type '|b1'");
  expect_refusal(with_type("[('a', '<f8'), ('b', '<f8')]"), "structured");
  expect_refusal(with_type("('<f8', (3,))"), "broken header");
  expect_refusal(with_type("'" + std::string(500, 'x') + "'"), "xxx");
}

TEST(NpyHeader, RefusesWhatIsNotNpy) {
  expect_refusal("", "is empty");
  expect_refusal("PK\3\4 a zip archive", "not an NPY file");
  expect_refusal("\x93NUM", "truncated");
  expect_refusal("\x93NUMPY\1", "truncated");
  expect_refusal("\x93NUMPY\1\0\x10"s, "truncated");
  expect_refusal("\x93NUMPY\4\0\x10\0"s, "version 4.0");
  expect_refusal("\x93NUMPY\1\1\x10\0"s, "version 1.1");
  expect_refusal("\x93NUMPY\2\0\xff\xff\xff\xff"s, "header of 4294967295 bytes");
  const std::string whole = file_with(dict("'<f8'", "False", "(3,)"));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    expect_refusal(whole.substr(0, size), "truncated");
  }
}

TEST(NpyHeader, RefusesBrokenLiterals) {
  const char* const texts[] = {
      "",
      "{",
      "{}",
      "[]",
      "{'descr': '<f8', 'fortran_order': False}",
      "{'descr': '<f8', 'shape': (3,)}",
      "{'fortran_order': False, 'shape': (3,)}",
      "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3 4)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3.,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (x,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': [3]}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} x",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
      "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
      "{'descr",
      "{'descr' '<f8', 'fortran_order': False, 'shape': (3,)}",
      "{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}",
      "{descr: '<f8', 'fortran_order': False, 'shape': (3,)}",
  };
  for (const char* text : texts) expect_refusal(file_with(text), "broken header");
  expect_refusal(file_with(dict("'<f8'", "False", "(3,)") + '\0'), "broken header");
}

TEST(NpyHeader, RefusesShapesThatOverflow) {
  const auto with_shape = [](const std::string& shape) {
    return file_with(dict("'<f8'", "False", shape));
  };
  expect_refusal(with_shape("(9223372036854775808,)"), "64 bits");
  expect_refusal(with_shape("(99999999999999999999999999999999,)"), "64 bits");
  expect_refusal(with_shape("(9223372036854775807,)"), "2^63");
  expect_refusal(with_shape("(4294967296, 4294967296)"), "2^63");
  expect_refusal(with_shape("(4294967296, 0, 4294967296)"), "2^63");
  std::string axes = "(";
  for (int k = 0; k < 65; ++k) axes += "1,";
  expect_refusal(with_shape(axes + ")"), "64 axes");
}

TEST(NpyHeader, ComparesTheSizeOfTheFile) {
  const npy_header h{value_type::f64, false, {3, 4}, 128};
  EXPECT_EQ(npy_data_bytes(h), 96u);
  EXPECT_NO_THROW(check_npy_size(h, 224));
  EXPECT_THROW(check_npy_size(h, 223), npy_error);
  EXPECT_THROW(check_npy_size(h, 225), npy_error);
  EXPECT_EQ(npy_data_bytes({value_type::f64, false, {3, 0}, 128}), 0u);
  EXPECT_EQ(npy_data_bytes({value_type::c128, false, {}, 128}), 16u);
}

TEST(NpyHeader, PrintsShapesAsPythonDoes) {
  EXPECT_EQ(shape_text(std::vector<index_t>{}), "()");
  EXPECT_EQ(shape_text(std::vector<index_t>{5}), "(5,)");
  EXPECT_EQ(shape_text(std::vector<index_t>{4, 7}), "(4, 7)");
}

}  // namespace
}  // namespace tridia::cli
