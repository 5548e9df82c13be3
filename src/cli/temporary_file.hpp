// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tridia::cli {

/// A file under a temporary name in the directory of its final one, which `commit` gives it.
/// Anything else that ends its life, a signal too, removes it.
class temporary_file {
 public:
  /// Makes an empty file. Throws `failure` about `argument`: bad input if no file can be made at
  /// `path`.
  temporary_file(std::string path, std::string argument);
  ~temporary_file();
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  [[nodiscard]] const std::string& temporary_path() const noexcept { return temporary_; }
  /// The final one; where it was a link, what it leads to.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Waits until the disk has everything, then gives the file its name.
  void commit();

  /// Throws what `errno` value `error` means for this file.
  [[noreturn]] void fail(const std::string& what, int error) const;

 private:
  void create();
  void remove() noexcept;

  std::string path_, argument_, temporary_;
  int fd_ = -1;
};

}  // namespace tridia::cli
