// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tridia::cli {

/// Says whether a file that is being written has a name.
enum class temporary_name {
  if_needed,  ///< It has none where the file system can do without (O_TMPFILE).
  always,     ///< It has one, `.tridia-*.tmp`, beside the final one.
};

/// Owns a file that is written in the directory of its final name, which `commit` gives it.
/// Anything else that ends the process or this object removes the file. If it has no name, so does
/// SIGKILL; if it has one, only a signal that can be caught does. Its permissions are those of any
/// new file there (0666 less the umask, or what the directory's default ACL says), also where it
/// replaces a file.
class temporary_file {
 public:
  /// Makes an empty file. Throws `failure` about `argument`: bad input if no file can be made at
  /// `path`.
  temporary_file(std::string path, std::string argument,
                 temporary_name naming = temporary_name::if_needed);
  ~temporary_file();
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  [[nodiscard]] bool has_name() const noexcept { return !temporary_.empty(); }
  /// Returns a path by which the file can be opened once more; a link in /proc if it has no name.
  [[nodiscard]] std::string temporary_path() const;
  /// Returns the final path; if it was a link, what it leads to.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Waits until the disk has everything, then gives the file its name. A file of that name is
  /// replaced in one step. What replaces it has a temporary name just before, between two system
  /// calls: a SIGKILL there leaves that name, of a complete file.
  void commit();

  /// Throws what `errno` value `error` means for this file.
  [[noreturn]] void fail(const std::string& what, int error) const;

 private:
  void create_named();
  void give_name();
  void remove() noexcept;
  template <class F>
  void with_new_name(F make);

  std::string path_, argument_, temporary_;
  int fd_ = -1;
};

}  // namespace tridia::cli
