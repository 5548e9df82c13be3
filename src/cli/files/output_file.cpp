// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/output_file.hpp"

#include "files/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tridia::cli {

output_file::output_file(std::string path, std::string argument, std::string_view header,
                         std::uint64_t data_bytes)
    : file_(std::move(path), std::move(argument)),
      header_bytes_(header.size()),
      size_(header.size() + data_bytes) {
  reserve(header);
}

output_file::~output_file() { unmap(); }

void output_file::reserve(std::string_view header) {
  // The space is reserved, since otherwise a full disk would be a signal in the middle of the work.
  int error = ::posix_fallocate(file_.descriptor(), 0, static_cast<off_t>(size_));
  if (error == EOPNOTSUPP || error == EINVAL) {
    error = ::ftruncate(file_.descriptor(), static_cast<off_t>(size_)) == 0 ? 0 : errno;
  }
  if (error != 0) file_.fail(fmt::format("cannot be given {} bytes", size_), error);
  void* map = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.descriptor(), 0);
  if (map == MAP_FAILED) file_.fail("cannot be mapped", errno);
  map_ = static_cast<std::byte*>(map);
  std::memcpy(map_, header.data(), header.size());
}

void output_file::release_pages() noexcept {
  ::sync_file_range(file_.descriptor(), 0, 0, SYNC_FILE_RANGE_WRITE);
  advise(map_, size_, page_advice::release);
}

void output_file::commit() {
  unmap();
  file_.commit();
}

void output_file::unmap() noexcept {
  if (map_ != nullptr) ::munmap(map_, size_);
  map_ = nullptr;
}

}  // namespace tridia::cli
