// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "temporary_file.hpp"

#include "cleanup.hpp"
#include "failure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

namespace tridia::cli {
namespace {

namespace fs = std::filesystem;

/// Errors of an argument, rather than of a disk.
bool is_bad_path(int error) {
  return error == EACCES || error == EPERM || error == ENOENT || error == ENOTDIR ||
         error == EROFS || error == ENAMETOOLONG || error == ELOOP || error == EISDIR;
}

/// A link stays a link: the file that it leads to is replaced.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

void sync_directory(const fs::path& file) {
  const fs::path directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);  // Best effort: some file systems refuse it for directories.
  ::close(fd);
}

}  // namespace

temporary_file::temporary_file(std::string path, std::string argument)
    : path_(resolved(path).string()), argument_(std::move(argument)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw bad_input(argument_, fmt::format("'{}' is {}, not a file that can be replaced", path_,
                                           S_ISDIR(status.st_mode) ? "a directory" : "special"));
  }
  create();
}

temporary_file::~temporary_file() { remove(); }

void temporary_file::create() {
  const fs::path path(path_);
  std::random_device random;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::string name =
        fmt::format(".tridia-{}-{:08x}.tmp", static_cast<long>(::getpid()), random());
    temporary_ = (path.parent_path() / name).string();
    if (!remove_on_signal(temporary_)) fail("cannot be created", ENAMETOOLONG);
    fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) return;
    const int error = errno;
    keep_on_signal();
    if (error != EEXIST) fail("cannot be created", error);
  }
  fail("cannot be created", EEXIST);
}

void temporary_file::commit() {
  if (::fsync(fd_) != 0) fail("cannot be written", errno);
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail("cannot be written", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be replaced", errno);
  keep_on_signal();
  temporary_.clear();
  sync_directory(path_);
}

void temporary_file::remove() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  keep_on_signal();
}

void temporary_file::fail(const std::string& what, int error) const {
  throw failure(is_bad_path(error) ? exit_bad_input : exit_failure, argument_,
                fmt::format("'{}' {}: {}", path_, what, std::strerror(error)));
}

}  // namespace tridia::cli
