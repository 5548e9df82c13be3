// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tridia_bench {

std::string command_of(int argc, char** argv) {
  std::string command = argv[0];
  command = command.substr(command.rfind('/') + 1);  // where it was built says nothing
  for (int k = 1; k < argc; ++k) command += std::string(" ") + argv[k];
  return command;
}

std::shared_ptr<const tridia::tuning_table> read_tuning(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("--tuning: " + path + " cannot be read");
  return std::make_shared<tridia::tuning_table>(tridia::tuning_table::parse(text.str()));
}

}  // namespace tridia_bench
