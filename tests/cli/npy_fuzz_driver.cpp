// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// Runs the fuzz target on the same mutated headers every time, with any compiler:
// npy_fuzz [iterations].
#include "files/npy_header.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using tridia::value_type;
using random_bits = std::mt19937_64;

/// These words occur in headers, so that mutations get past the first byte.
constexpr std::string_view words[] = {"'descr'",
                                      "'fortran_order'",
                                      "'shape'",
                                      "True",
                                      "False",
                                      "'<f8'",
                                      "'>f8'",
                                      "'|O'",
                                      "'<c16'",
                                      "[('a', '<f8')]",
                                      "(",
                                      ")",
                                      "{",
                                      "}",
                                      ",",
                                      ":",
                                      "-1",
                                      "0",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "4294967296",
                                      " ",
                                      "\n",
                                      "'",
                                      "\"",
                                      "\\"};

std::vector<std::string> corpus() {
  std::vector<std::string> files;
  const std::vector<tridia::index_t> shapes[] = {
      {}, {0}, {7}, {4, 7}, {2, 3, 4}, {1 << 20, 1 << 20}, std::vector<tridia::index_t>(64, 1)};
  for (const auto& shape : shapes) {
    for (const value_type type :
         {value_type::f32, value_type::f64, value_type::c64, value_type::c128}) {
      std::string file = tridia::cli::format_npy_header({type, shape.size() % 2 == 1, shape, 0});
      files.push_back(file + std::string(16, 'x'));
      std::string text = file.substr(10);  // as version 2 or 3 with its longer length
      file = file.substr(0, 6) + (shape.size() % 2 == 1 ? '\2' : '\3') + '\0' + file.substr(8, 2) +
             std::string(2, '\0') + text;
      files.push_back(file);
    }
  }
  return files;
}

std::size_t below(random_bits& bits, std::size_t limit) {
  return static_cast<std::size_t>(bits() % limit);
}

void mutate_once(std::string& file, random_bits& bits) {
  const std::size_t at = below(bits, file.size() + 1);
  switch (below(bits, 7)) {
    case 0:
      file.insert(at, words[below(bits, std::size(words))]);
      break;
    case 1:
      file.insert(at, 1, static_cast<char>(below(bits, 256)));
      break;
    case 2:
      file.erase(at, 1 + below(bits, 8));
      break;
    case 3:
      file.resize(at);
      break;
    case 4:
      file += file.substr(at);
      break;
    case 5:
      if (at < file.size()) file[at] = static_cast<char>(below(bits, 256));
      break;
    default: {
      const std::string_view word = words[below(bits, std::size(words))];
      file.replace(at, word.size(), word);
    }
  }
  if (file.size() > 4096) file.resize(4096);
}

/// Corrects the length in the header, so that a text whose length has changed is read to its end
/// again.
void repair_length(std::string& file) {
  if (file.size() < 12 || file[6] < 1 || file[6] > 3) return;
  const std::size_t begin = file[6] == 1 ? 10 : 12;
  const std::size_t size = file.size() - begin;
  file[8] = static_cast<char>(size & 0xff);
  file[9] = static_cast<char>(size >> 8 & 0xff);
}

}  // namespace

int main(int argc, char** argv) {
  const long iterations = argc > 1 ? std::atol(argv[1]) : 200000;
  const std::vector<std::string> files = corpus();
  random_bits bits(20240229);
  for (long k = 0; k < iterations; ++k) {
    std::string file = files[below(bits, files.size())];
    for (std::size_t changes = 1 + below(bits, 4); changes > 0; --changes) mutate_once(file, bits);
    if (bits() % 2 == 0) repair_length(file);
    // The allocation has the exact size, so that a sanitizer sees the first byte past the end.
    const std::vector<std::uint8_t> bytes(file.begin(), file.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%ld inputs\n", iterations);
  return 0;
}
