// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace tridia::cli {

namespace fs = std::filesystem;

/// A test has a directory of its own.
class Files : public ::testing::Test {
 protected:
  Files() : directory_(fs::path(::testing::TempDir()) / ("tridia-" + std::to_string(::getpid()))) {
    fs::create_directories(directory_);
  }
  ~Files() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::ptrdiff_t count() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }
  static std::string contents(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

 private:
  fs::path directory_;
};

}  // namespace tridia::cli
