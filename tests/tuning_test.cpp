// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests are for tables of measurements: their text, what is refused, and what is found for a
// problem.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "solver/tuning.hpp"
#include "support/refusal.hpp"
#include "tridia/error.hpp"

namespace tridia_test {
namespace {

using tridia::errc;
using tridia::index_t;
using tridia::tuning_entry;
using tridia::tuning_table;

constexpr const char* kTable =
    "tridia-tuning 2\n"
    "9.0 onchip f64 none contiguous 512 chunk_rows=17 warps=2\n"
    "9.0 onchip f64 none contiguous 1024\n"
    "9.0 onchip f64 none interleaved 512 blocks=4\n"
    "8.0 onchip f32 partial contiguous 512 chunk_rows=33\n";

TEST(Tuning, ReadsWhatItWrites) {
  const tuning_table table = tuning_table::parse(kTable);
  EXPECT_EQ(table.text(), kTable);
  ASSERT_EQ(table.entries().size(), 4U);
  const tuning_entry& first = table.entries()[0];
  EXPECT_EQ(first.compute_capability, 90);
  EXPECT_EQ(first.kernel, "onchip");
  EXPECT_EQ(first.values, (std::vector<int>{17, 2, 0}));
  EXPECT_TRUE(table.entries()[2].interleaved);
  EXPECT_EQ(table.entries()[3].pivoting, tridia::pivoting::partial);
}

TEST(Tuning, ReadsFormatOne) {
  std::string old = kTable;
  old.replace(old.find("tridia-tuning 2"), 15, "tridia-tuning 1");
  old.replace(old.find("interleaved"), 11, "across");
  EXPECT_EQ(tuning_table::parse(old).text(), kTable);
  // A word of one format is not a word of the other.
  for (const auto& [text, word] :
       {std::pair("tridia-tuning 1\n9.0 onchip f64 none interleaved 8", "interleaved"),
        std::pair("tridia-tuning 2\n9.0 onchip f64 none across 8", "across")}) {
    expect_refusal(errc::invalid_argument, {"line 2", "layout", word},
                   [&] { tuning_table::parse(text); });
  }
}

TEST(Tuning, SkipsCommentsAndBlankLines) {
  const tuning_table table = tuning_table::parse(
      "# made by hand\n\ntridia-tuning 2  # the format\r\n \t\n"
      "  9.0\tonchip f64 none contiguous 8 chunk_rows=9   # a thread a system");
  ASSERT_EQ(table.entries().size(), 1U);
  EXPECT_EQ(table.entries()[0].values[0], 9);
}

TEST(Tuning, RefusesBrokenText) {
  const auto refuse = [](const std::string& text, const std::vector<std::string>& words) {
    SCOPED_TRACE(text);
    expect_refusal(errc::invalid_argument, words, [&] { tuning_table::parse(text); });
  };
  refuse("", {"tuning", "tridia-tuning 2"});
  refuse("# nothing\n", {"tuning", "tridia-tuning 2"});
  refuse("{\"a\": 1}\n", {"line 1", "tridia-tuning 2"});
  refuse("tridia-tuning 3\n", {"line 1", "tridia-tuning 3"});
  const auto refuse_line = [&](const std::string& line, std::vector<std::string> words) {
    words.emplace_back("line 3");
    refuse("tridia-tuning 2\n# next\n" + line + "\n", words);
  };
  refuse_line("9 onchip f64 none contiguous 8", {"compute capability", "\"9\""});
  refuse_line("9.x onchip f64 none contiguous 8", {"compute capability", "\"x\""});
  refuse_line("0.0 onchip f64 none contiguous 8", {"compute capability"});
  refuse_line("9.0 offchip f64 none contiguous 8", {"offchip"});
  refuse_line("9.0 onchip f16 none contiguous 8", {"type", "f16"});
  refuse_line("9.0 onchip f64 full contiguous 8", {"pivoting", "full"});
  refuse_line("9.0 onchip f64 none middle 8", {"layout", "middle"});
  refuse_line("9.0 onchip f64 none contiguous", {"rows"});
  refuse_line("9.0 onchip f64 none contiguous 0", {"rows", "0"});
  refuse_line("9.0 onchip f64 none contiguous 99999999999999999999", {"rows"});
  refuse_line("9.0 onchip f64 none contiguous 8 chunk_rows", {"chunk_rows"});
  refuse_line("9.0 onchip f64 none contiguous 8 depth=3", {"depth"});
  refuse_line("9.0 onchip f64 none contiguous 8 warps=", {"number"});
  refuse_line("9.0 onchip f64 none contiguous 8 warps=3", {"warps", "3"});
  refuse_line("9.0 onchip f64 none contiguous 8 warps=-1", {"warps", "-1"});
}

TEST(Tuning, RefusesBrokenEntries) {
  tuning_table table;
  tuning_entry e{90, "onchip", tridia::value_type::f64, tridia::pivoting::none, false, 8, {0, 0}};
  expect_refusal(errc::invalid_argument, {"values", "2", "3"}, [&] { table.add(e); });
  e.values = {0, 0, 0};
  table.add(e);
  EXPECT_EQ(table.entries().size(), 1U);
}

TEST(Tuning, HoldsParametersOfNamedAlgorithms) {
  constexpr const char* text =
      "tridia-tuning 2\n"
      "9.0 crnbc f32 none contiguous 512 switch_point=64\n"
      "9.0 cr_pcr f64 none contiguous 512 switch_point=128\n"
      "9.0 pcr_thomas f64 none contiguous 1024 switch_point=32\n"
      "9.0 packed_cr f32 none contiguous 1024 packing_depth=8\n"
      "9.0 hierarchical f64 none contiguous 16384\n";
  const tuning_table table = tuning_table::parse(text);
  EXPECT_EQ(table.text(), text);
  const auto value = [&](const char* kernel, tridia::value_type type, index_t rows) {
    const tuning_entry* e =
        tridia::solver::nearest(table, {90, kernel, type, tridia::pivoting::none, false, rows, {}});
    return e == nullptr ? -1 : e->values.at(0);
  };
  EXPECT_EQ(value("cr_pcr", tridia::value_type::f64, 700), 128);
  EXPECT_EQ(value("cr_pcr", tridia::value_type::f32, 700), -1);
  EXPECT_EQ(value("packed_cr", tridia::value_type::f32, 2048), 8);
  EXPECT_EQ(value("packed_cr", tridia::value_type::f32, 2049), -1);
  EXPECT_EQ(value("hierarchical", tridia::value_type::f64, 20'000), 0);
}

TEST(Tuning, RefusesWhatANamedAlgorithmDoesNotTake) {
  const auto refuse = [](const char* line, const std::vector<std::string>& words) {
    SCOPED_TRACE(line);
    expect_refusal(errc::invalid_argument, words,
                   [&] { tuning_table::parse(std::string("tridia-tuning 2\n") + line); });
  };
  refuse("9.0 cr f64 none contiguous 8", {"line 2", "cr"});
  refuse("9.0 cr_pcr c64 none contiguous 8", {"line 2", "type", "cr_pcr", "c64"});
  refuse("9.0 packed_cr f64 partial contiguous 8", {"line 2", "pivoting", "packed_cr"});
  refuse("9.0 crnbc f64 none interleaved 8", {"line 2", "layout", "crnbc", "contiguous"});
  refuse("9.0 cr_pcr f64 none contiguous 8 switch_point=3", {"line 2", "switch_point", "3"});
  refuse("9.0 cr_pcr f64 none contiguous 8 switch_point=-1", {"line 2", "switch_point", "-1"});
  refuse("9.0 packed_cr f64 none contiguous 8 packing_depth=64", {"packing_depth", "64"});
  refuse("9.0 packed_cr f64 none contiguous 8 switch_point=4", {"packed_cr", "switch_point"});
}

TEST(Tuning, FindsTheNearestOfTheSameKind) {
  const tuning_table table = tuning_table::parse(kTable);
  const auto rows_found = [&](tuning_entry wanted) -> index_t {
    const tuning_entry* e = tridia::solver::nearest(table, wanted);
    return e == nullptr ? 0 : e->rows;
  };
  tuning_entry wanted{90, "onchip", tridia::value_type::f64, tridia::pivoting::none, false, 0, {}};
  for (const auto& [rows, found] : std::vector<std::pair<index_t, index_t>>{
           {255, 0}, {256, 512}, {512, 512}, {600, 512}, {800, 1024}, {2048, 1024}, {2049, 0}}) {
    wanted.rows = rows;
    EXPECT_EQ(rows_found(wanted), found) << rows;
  }
  wanted.rows = 512;
  wanted.type = tridia::value_type::f32;
  EXPECT_EQ(rows_found(wanted), 0);
  wanted.compute_capability = 80;
  EXPECT_EQ(rows_found(wanted), 0);
  wanted.pivoting = tridia::pivoting::partial;
  EXPECT_EQ(rows_found(wanted), 512);
}

TEST(Tuning, TheLastOfTwoEntriesCounts) {
  const tuning_table table = tuning_table::parse(
      "tridia-tuning 2\n9.0 onchip f64 none contiguous 8 warps=1\n"
      "9.0 onchip f64 none contiguous 8 warps=4\n");
  const tuning_entry* e = tridia::solver::nearest(table, table.entries()[0]);
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->values[1], 4);
}

}  // namespace
}  // namespace tridia_test
