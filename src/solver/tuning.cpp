// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/tuning.hpp"

#include "core/refuse.hpp"
#include "solver/default_parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace tridia {
namespace {

constexpr std::string_view header = "tridia-tuning 2";
constexpr std::string_view contiguous = "contiguous", interleaved_layout = "interleaved";
// Format 1 is read too; it has another word for the interleaved layout.
constexpr std::string_view header_1 = "tridia-tuning 1", interleaved_1 = "across";

// A kernel is added by a line in `kernels`, and looks its values up where it is planned.
constexpr int chunk_row_choices[] = {5,  7,  9,  11, 13, 15, 17, 19, 21, 23,
                                     25, 27, 29, 31, 33, 37, 41, 49, 57, 65};
constexpr int powers[] = {1, 2, 4, 8}, more_powers[] = {1, 2, 4, 8, 16};
constexpr tunable_kernel::parameter onchip[] = {
    {"chunk_rows", chunk_row_choices}, {"warps", powers}, {"blocks", powers}};
constexpr int system_choices[] = {2, 4, 8, 16, 32, 64, 128};
constexpr tunable_kernel::parameter interleaved[] = {{"systems", system_choices},
                                                     {"blocks", more_powers}};
// A named algorithm has its own name here too, and one parameter.
constexpr int switch_points[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
constexpr tunable_kernel::parameter hybrid[] = {{"switch_point", switch_points}};
constexpr tunable_kernel::parameter packed[] = {{"packing_depth", solver::packing_depths}};
constexpr tunable_kernel kernels[] = {{"onchip", onchip},      {"interleaved", interleaved},
                                      {"crnbc", hybrid},       {"cr_pcr", hybrid},
                                      {"pcr_thomas", hybrid},  {"packed_cr", packed},
                                      {"hierarchical", hybrid}};

std::string quoted(std::string_view s) { return std::string("\"").append(s).append("\""); }

const tunable_kernel& kernel_named(std::string_view name) {
  for (const tunable_kernel& k : kernels) {
    if (k.name == name) return k;
  }
  refuse(quoted(name) + " is no kernel that can be tuned");
}

/// Removes the next word from a line and returns it; empty at the end.
std::string_view next_word(std::string_view& line) {
  constexpr std::string_view blanks = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

template <class N>
N number(std::string_view word, const char* what) {
  N value{};
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc() || end != word.data() + word.size()) {
    refuse(std::string(what) + ": expected a number, got " + quoted(word));
  }
  return value;
}

template <class E>
E enumerator(std::string_view word, const char* what) {
  if (const std::optional<E> value = parse<E>(word)) return *value;
  refuse(std::string(what) + ": got " + quoted(word));
}

/// Parses a compute capability such as "9.0".
int capability(std::string_view word) {
  const auto dot = word.find('.');
  if (dot == word.npos || word.size() != dot + 2) {
    refuse("compute capability: expected one as 9.0, got " + quoted(word));
  }
  return 10 * number<int>(word.substr(0, dot), "compute capability") +
         number<int>(word.substr(dot + 1), "compute capability");
}

bool is_interleaved(std::string_view word, int format) {
  const std::string_view other = format == 1 ? interleaved_1 : interleaved_layout;
  if (word != contiguous && word != other) {
    refuse("layout: expected " + std::string(contiguous) + " or " + std::string(other) + ", got " +
           quoted(word));
  }
  return word == other;
}

/// Sets a parameter from a word such as "chunk_rows=17".
void set_parameter(tuning_entry& e, const tunable_kernel& k, std::string_view word) {
  const auto equals = std::min(word.find('='), word.size());
  const auto p = std::find_if(k.parameters.begin(), k.parameters.end(),
                              [&](const auto& q) { return q.name == word.substr(0, equals); });
  if (p == k.parameters.end() || equals == word.size()) {
    refuse("expected PARAMETER=NUMBER, with one of the parameters of " + std::string(k.name) +
           ", got " + quoted(word));
  }
  e.values[static_cast<std::size_t>(p - k.parameters.begin())] =
      number<int>(word.substr(equals + 1), "parameter");
}

tuning_entry entry_of(std::string_view line, int format) {
  tuning_entry e;
  e.compute_capability = capability(next_word(line));
  e.kernel = next_word(line);
  const tunable_kernel& kernel = kernel_named(e.kernel);
  e.values.assign(kernel.parameters.size(), 0);
  e.type = enumerator<value_type>(next_word(line), "type");
  e.pivoting = enumerator<pivoting>(next_word(line), "pivoting");
  e.interleaved = is_interleaved(next_word(line), format);
  e.rows = number<index_t>(next_word(line), "rows");
  for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
    set_parameter(e, kernel, word);
  }
  return e;
}

/// Refuses what no plan would look up: a named algorithm does not pivot, takes real numbers on a
/// GPU, and has one entry for all layouts.
void check_named(const tuning_entry& e) {
  if (!parse<algorithm>(e.kernel)) return;
  if (e.type != value_type::f32 && e.type != value_type::f64) {
    refuse("type: " + e.kernel + " takes f32 and f64, got " + std::string(name(e.type)));
  }
  if (e.pivoting != pivoting::none) {
    refuse("pivoting: " + e.kernel + " does not pivot, got " + std::string(name(e.pivoting)));
  }
  if (e.interleaved) {
    refuse("layout: an entry of " + e.kernel + " is for every layout, and says " +
           std::string(contiguous) + ", got " + std::string(interleaved_layout));
  }
}

}  // namespace

std::span<const tunable_kernel> tunable_kernels() noexcept { return kernels; }

void tuning_table::add(tuning_entry entry) {
  const tunable_kernel& k = kernel_named(entry.kernel);
  if (entry.compute_capability < 10) refuse("compute capability: must be 1.0 or more");
  check_named(entry);
  if (entry.rows < 1) refuse("rows: " + std::to_string(entry.rows) + " is below 1");
  if (entry.values.size() != k.parameters.size()) {
    refuse("values: " + std::to_string(entry.values.size()) + " were given, but " + entry.kernel +
           " has " + std::to_string(k.parameters.size()) + " parameters");
  }
  for (std::size_t p = 0; p < entry.values.size(); ++p) {
    const int value = entry.values[p];
    const auto known = k.parameters[p].values;
    if (value != 0 && std::find(known.begin(), known.end(), value) == known.end()) {
      refuse(std::string(k.parameters[p].name) + ": " + std::to_string(value) +
             " is none of its values");
    }
  }
  entries_.push_back(std::move(entry));
}

tuning_table tuning_table::parse(std::string_view text) {
  tuning_table table;
  int format = 0;  // until the header was read
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find('#'));
    line.remove_suffix(line.size() - (line.find_last_not_of(" \t\r") + 1));
    if (line.empty()) continue;
    try {
      if (format != 0) {
        table.add(entry_of(line, format));
      } else if (line == header || line == header_1) {
        format = line == header ? 2 : 1;
      } else {
        refuse("expected " + quoted(header) + ", got " + quoted(line.substr(0, 40)));
      }
    } catch (const error& e) {
      refuse("tuning: line " + std::to_string(number) + ": " + e.what());
    }
  }
  if (format == 0) refuse("tuning: there is no line " + quoted(header));
  return table;
}

std::string tuning_table::text() const {
  std::string all = std::string(header) + "\n";
  for (const tuning_entry& e : entries_) {
    const auto add = [&](std::string_view word) { (all += ' ') += word; };
    all +=
        std::to_string(e.compute_capability / 10) + "." + std::to_string(e.compute_capability % 10);
    add(e.kernel);
    add(name(e.type));
    add(name(e.pivoting));
    add(e.interleaved ? interleaved_layout : contiguous);
    add(std::to_string(e.rows));
    const auto parameters = kernel_named(e.kernel).parameters;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (e.values[p] == 0) continue;
      add(parameters[p].name);
      all += '=';
      all += std::to_string(e.values[p]);
    }
    all += "\n";
  }
  return all;
}

namespace solver {

const tuning_entry* nearest(const tuning_table& table, const tuning_entry& wanted) {
  const tuning_entry* best = nullptr;
  double best_ratio = 2;
  for (const tuning_entry& e : table.entries()) {
    if (e.compute_capability != wanted.compute_capability || e.kernel != wanted.kernel ||
        e.type != wanted.type || e.pivoting != wanted.pivoting ||
        e.interleaved != wanted.interleaved) {
      continue;
    }
    const double ratio = static_cast<double>(e.rows) / static_cast<double>(wanted.rows);
    const double distance = std::max(ratio, 1 / ratio);
    // A later entry replaces an earlier one of as many rows.
    if (distance <= best_ratio) best = &e, best_ratio = distance;
  }
  return best;
}

}  // namespace solver
}  // namespace tridia
