// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "../arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <regex>
#include <stdexcept>

namespace tridia_bench {

const char* const map_help =
    "tridia_bench map [OPTIONS]: every feature at many shapes, each in times its floor, which is\n"
    "the larger one of a copy of the bytes that it must move and of an empty call\n"
    "  --device cpu|cuda  what is measured (cpu)\n"
    "  --types LIST       f32, f64, c64, c128, separated by commas (f64,f32)\n"
    "  --only REGEX       the features whose names match; --list names them\n"
    "  --shapes REGEX     the cells whose places match, such as \"2^24, 1000 rows, contiguous\"\n"
    "  --quick            few and small cells: whether it runs, not how fast\n"
    "  --limit MS         a call that takes longer is not repeated, and larger cells whose calls\n"
    "                     would take longer are not run but estimated (200; cpu: 500)\n"
    "  --setup-limit MS   a cell whose plan would take longer to make is not run (3000; cpu: "
    "20000)\n"
    "  --json FILE        write the results there\n"
    "  --plot FILE        draw the map into this PNG file (needs Python with matplotlib)\n"
    "  --remark TEXT      goes into the results: what else the machine was doing, say\n"
    "  --tuning FILE      what `tridia tune` measured, instead of what comes with the library\n"
    "  --seed K           other systems (0)\n"
    "  --list             name the features and their numbers of cells, and measure nothing\n"
    "The results and the picture say which cells are estimates.\n"
    "The exit code is 1 if a solution is wrong.\n";

namespace {

std::vector<tridia::value_type> types_of(const std::string& text) {
  std::vector<tridia::value_type> types;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const auto type = tridia::parse<tridia::value_type>(name);
    if (!type) {
      throw std::runtime_error("--types: expected f32, f64, c64 or c128, got \"" + name + "\"");
    }
    types.push_back(*type);
    begin = end + 1;
  }
  return types;
}

/// Returns the text, once it is known to be a regular expression.
std::string checked(const std::string& option, const std::string& text) {
  try {
    std::regex{text};
  } catch (const std::regex_error&) {
    throw std::runtime_error(option + ": \"" + text + "\" is no regular expression");
  }
  return text;
}

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("--seed: expected a number from 0, got \"" + text + "\"");
  }
  return value;
}

double limit_of(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0)) {
    throw std::runtime_error(option + ": expected milliseconds above 0, got \"" + text + "\"");
  }
  return value;
}

bool cuda_of(const std::string& text) {
  if (text != "cpu" && text != "cuda") {
    throw std::runtime_error("--device: expected cpu or cuda, got \"" + text + "\"");
  }
  return text == "cuda";
}

}  // namespace

map_options parse_map_options(int argc, char** argv) {
  map_options o;
  for (int k = 2; k < argc; ++k) {
    const std::string argument = argv[k];
    const auto equals = argument.find('=');
    const std::string option = argument.substr(0, equals);
    const auto value = [&]() -> std::string {
      if (equals != argument.npos) return argument.substr(equals + 1);
      if (k + 1 == argc) throw std::runtime_error(option + " takes a value");
      return argv[++k];
    };
    if (option == "--device") {
      o.cuda = cuda_of(value());
    } else if (option == "--types") {
      o.types = types_of(value());
    } else if (option == "--only") {
      o.cells.only = checked(option, value());
    } else if (option == "--shapes") {
      o.cells.shapes = checked(option, value());
    } else if (option == "--limit") {
      o.limit_ms = limit_of(option, value());
    } else if (option == "--setup-limit") {
      o.setup_limit_ms = limit_of(option, value());
    } else if (option == "--json") {
      o.json = value();
    } else if (option == "--plot") {
      o.plot = value();
    } else if (option == "--remark") {
      o.remark = value();
    } else if (option == "--tuning") {
      o.tuning = read_tuning(value());
    } else if (option == "--seed") {
      o.cells.seed = seed_of(value());
    } else if (argument == "--quick") {
      o.cells.quick = true;
    } else if (argument == "--list") {
      o.list = true;
    } else if (argument == "--help") {
      o.help = true;
    } else {
      throw std::runtime_error("map: \"" + argument + "\" is not an option: see map --help");
    }
  }
  o.cells.largest = o.cuda ? 26 : 24;
  return o;
}

}  // namespace tridia_bench
