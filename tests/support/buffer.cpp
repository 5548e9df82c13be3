// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/buffer.hpp"

#include <algorithm>

namespace tridia_test {

buffer::buffer(tridia::backend where, std::size_t bytes, std::size_t guard,
               std::size_t misalignment, std::byte guard_byte)
    : size_(bytes),
      before_(guard + misalignment),
      total_(before_ + bytes + guard),
      guard_byte_(guard_byte),
      host_(new std::byte[total_]),
      device_(nullptr, [](std::byte*) {}) {
  std::fill_n(host_.get(), total_, guard_byte_);
  if (where == tridia::backend::cuda) device_ = allocate_on_device(total_);
  push();
}

void buffer::push() {
  if (device_) copy_to_device(device_.get(), host_.get(), total_);
}

void buffer::pull() {
  if (device_) copy_to_host(host_.get(), device_.get(), total_);
}

bool buffer::guards_intact() const {
  const auto intact = [this](std::byte b) { return b == guard_byte_; };
  return std::all_of(host_.get(), host_.get() + before_, intact) &&
         std::all_of(host_.get() + before_ + size_, host_.get() + total_, intact);
}

}  // namespace tridia_test
