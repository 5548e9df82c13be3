// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/temporary_file.hpp"

#include "failure.hpp"
#include "files/cleanup.hpp"

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

/// Follows a link, so that it stays a link: the file that it leads to is replaced.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

fs::path directory_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void sync_directory(const fs::path& file) {
  const int fd = ::open(directory_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);  // Best effort: some file systems refuse it for directories.
  ::close(fd);
}

/// Returns the link by which a file without a name is given one, and is opened once more.
std::string link_in_proc(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

/// Returns whether a new file's permissions respect the umask: kernels before 6.0 ignore it for a
/// file without a name on a file system without ACLs.
bool respects_umask(int fd) {
  const mode_t mask = ::umask(077);
  ::umask(mask);
  struct stat status {};
  return ::fstat(fd, &status) == 0 && (status.st_mode & mask) == 0;
}

/// Returns a file without a name, or -1 where there are none: by the file system (NFS, FAT), by the
/// kernel, or because /proc is not mounted.
int open_unnamed(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd < 0) return -1;
  if (respects_umask(fd) && ::access(link_in_proc(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

}  // namespace

temporary_file::temporary_file(std::string path, std::string argument, temporary_name naming)
    : path_(resolved(path).string()), argument_(std::move(argument)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw bad_input(argument_, fmt::format("'{}' is {}, not a file that can be replaced", path_,
                                           S_ISDIR(status.st_mode) ? "a directory" : "special"));
  }
  handle_signals();
  if (naming == temporary_name::if_needed) fd_ = open_unnamed(directory_of(path_));
  if (fd_ < 0) create_named();
}

temporary_file::~temporary_file() { remove(); }

std::string temporary_file::temporary_path() const {
  return has_name() ? temporary_ : link_in_proc(fd_);
}

/// Tries names until `make` makes a file of one, which nothing else had.
template <class F>
void temporary_file::with_new_name(F make) {
  const fs::path path(path_);
  std::random_device random;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::string name =
        fmt::format(".tridia-{}-{:08x}.tmp", static_cast<long>(::getpid()), random());
    temporary_ = (path.parent_path() / name).string();
    if (!remove_when_ended(temporary_)) fail("cannot be created", ENAMETOOLONG);
    if (make(temporary_.c_str())) return;
    const int error = errno;
    keep_when_ended();
    temporary_.clear();
    if (error != EEXIST) fail("cannot be created", error);
  }
  fail("cannot be created", EEXIST);
}

void temporary_file::create_named() {
  with_new_name([&](const char* name) {
    fd_ = ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return fd_ >= 0;
  });
}

/// Gives a file without a name its final one, or a temporary one where something has the final one:
/// a link replaces nothing.
void temporary_file::give_name() {
  const auto link = [file = link_in_proc(fd_)](const char* name) {
    return ::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(path_.c_str())) return;
  if (errno != EEXIST) fail("cannot be created", errno);
  with_new_name(link);
}

void temporary_file::commit() {
  if (::fsync(fd_) != 0) fail("cannot be written", errno);
  if (!has_name()) give_name();
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail("cannot be written", errno);
  if (has_name() && std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail("cannot be replaced", errno);
  }
  keep_when_ended();
  temporary_.clear();
  sync_directory(path_);
}

void temporary_file::remove() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  if (has_name()) ::unlink(temporary_.c_str());
  temporary_.clear();
  keep_when_ended();
}

void temporary_file::fail(const std::string& what, int error) const {
  throw failure(code_of(error), argument_,
                fmt::format("'{}' {}: {}", path_, what, std::strerror(error)));
}

}  // namespace tridia::cli
