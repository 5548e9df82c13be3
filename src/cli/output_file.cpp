// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include "cleanup.hpp"
#include "failure.hpp"
#include "mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
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

output_file::output_file(std::string path, std::string argument, std::string_view header,
                         std::uint64_t data_bytes)
    : path_(std::move(path)),
      argument_(std::move(argument)),
      header_bytes_(header.size()),
      size_(header.size() + data_bytes) {
  path_ = resolved(path_).string();
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw bad_input(argument_, fmt::format("'{}' is {}, not a file that can be replaced", path_,
                                           S_ISDIR(status.st_mode) ? "a directory" : "special"));
  }
  create();
  try {
    reserve(header);
  } catch (...) {
    remove();
    throw;
  }
}

output_file::~output_file() { remove(); }

void output_file::create() {
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

void output_file::reserve(std::string_view header) {
  // Without its space a full disk would be a signal in the middle of the work.
  int error = ::posix_fallocate(fd_, 0, static_cast<off_t>(size_));
  if (error == EOPNOTSUPP || error == EINVAL) {
    error = ::ftruncate(fd_, static_cast<off_t>(size_)) == 0 ? 0 : errno;
  }
  if (error != 0) fail(fmt::format("cannot be given {} bytes", size_).c_str(), error);
  void* map = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (map == MAP_FAILED) fail("cannot be mapped", errno);
  map_ = static_cast<std::byte*>(map);
  std::memcpy(map_, header.data(), header.size());
}

void output_file::release_pages() noexcept {
  ::sync_file_range(fd_, 0, 0, SYNC_FILE_RANGE_WRITE);
  advise(map_, size_, page_advice::release);
}

void output_file::commit() {
  unmap();
  if (::fsync(fd_) != 0) fail("cannot be written", errno);
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail("cannot be written", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be replaced", errno);
  keep_on_signal();
  temporary_.clear();
  sync_directory(path_);
}

void output_file::unmap() noexcept {
  if (map_ != nullptr) ::munmap(map_, size_);
  map_ = nullptr;
}

void output_file::remove() noexcept {
  unmap();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  keep_on_signal();
}

void output_file::fail(const char* what, int error) const {
  throw failure(is_bad_path(error) ? exit_bad_input : exit_failure, argument_,
                fmt::format("'{}' {}: {}", path_, what, std::strerror(error)));
}

}  // namespace tridia::cli
