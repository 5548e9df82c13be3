// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/array.hpp"

#include <algorithm>
#include <cstring>

namespace tridia_test {

array::array(tridia::backend where, tridia::value_type type, layout::span span, std::size_t guard,
             std::byte fill, std::size_t misalignment)
    : type_(type),
      first_(span.first),
      bytes_(where, static_cast<std::size_t>(span.size()) * size_of(type), guard * size_of(type),
             misalignment, fill) {
  std::fill_n(bytes_.host(), bytes_.size(), fill);
}

void* array::pointer() const {
  if (bytes_.size() == 0) return nullptr;
  return static_cast<std::byte*>(bytes_.pointer()) -
         first_ * static_cast<std::ptrdiff_t>(size_of(type_));
}

void array::give() {
  bytes_.push();
  given_.assign(bytes_.host(), bytes_.host() + bytes_.size());
}

const std::byte* array::element(index_t at) const {
  return bytes_.host() + (at - first_) * static_cast<std::ptrdiff_t>(size_of(type_));
}

bool array::unchanged(const std::vector<line>& exempt) const {
  std::vector<std::byte> expected = given_;
  for (const line& l : exempt)
    for (index_t row = l.first; row < l.last; ++row)
      std::memcpy(expected.data() + (element(l.at(row)) - bytes_.host()), element(l.at(row)),
                  size_of(type_));
  return bytes_.guards_intact() && std::equal(expected.begin(), expected.end(), bytes_.host());
}

}  // namespace tridia_test
