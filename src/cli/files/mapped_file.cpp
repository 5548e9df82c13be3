// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/mapped_file.hpp"

#include "failure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tridia::cli {
namespace {

class file_descriptor {
 public:
  explicit file_descriptor(int fd) : fd_(fd) {}
  ~file_descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

int madvise_flag(page_advice advice) noexcept {
  switch (advice) {
    case page_advice::read_ahead:
      return MADV_WILLNEED;
    case page_advice::release:
      return MADV_DONTNEED;
#ifdef MADV_POPULATE_READ
    case page_advice::populate_read:
      return MADV_POPULATE_READ;
    case page_advice::populate_write:
      return MADV_POPULATE_WRITE;
#endif
    default:
      return MADV_NORMAL;
  }
}

}  // namespace

mapped_file::mapped_file(const std::string& path, const std::string& argument) {
  const auto refuse = [&](const std::string& why) {
    return bad_input(argument, fmt::format("'{}' {}", path, why));
  };
  const auto failed = [&](const char* what, int error) {
    return failure(code_of(error), argument,
                   fmt::format("'{}' cannot be {}: {}", path, what, std::strerror(error)));
  };
  // O_NONBLOCK avoids hanging on a FIFO that nobody writes to.
  const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw failed("read", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw failed("read", errno);
  if (S_ISDIR(status.st_mode)) throw refuse("is a directory, not an NPY file");
  if (!S_ISREG(status.st_mode)) throw refuse("is not a regular file, which a memory map needs");
  if (status.st_size == 0) throw refuse("is empty, so it is not an NPY file");
  size_ = static_cast<std::size_t>(status.st_size);
  void* map = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) throw failed("mapped", errno);
  data_ = static_cast<const std::byte*>(map);
}

mapped_file::~mapped_file() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

mapped_file::mapped_file(mapped_file&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

void advise(const std::byte* first, std::size_t bytes, page_advice advice) noexcept {
  if (bytes == 0) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t begin = address / page * page;
  ::madvise(reinterpret_cast<void*>(begin), address - begin + bytes, madvise_flag(advice));
}

}  // namespace tridia::cli
