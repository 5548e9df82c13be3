// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/transport.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tridia::distributed {

/// Holds the values that must be equal on all ranks, reduced to one number for each name.
class agreement {
 public:
  explicit agreement(transport& by) : by_(by) {}

  template <class Values>
  agreement& on(const char* what, const Values& values) {
    std::uint64_t digest = 14695981039346656037u;  // FNV-1a, a value at a time
    for (const auto& v : values) {
      digest = (digest ^ static_cast<std::uint64_t>(v)) * 1099511628211u;
      digest ^= digest >> 29;
    }
    names_.push_back(what);
    digests_.push_back(static_cast<index_t>(digest >> 1));
    return *this;
  }

  agreement& on(const decomposition& g);

  /// Calls check(), which throws what is wrong on this rank, then exchanges the outcome with all
  /// ranks; throws if anything is wrong on any of them.
  void reach(const std::function<void()>& check) const;

 private:
  transport& by_;
  std::vector<const char*> names_;
  std::vector<index_t> digests_;
};

/// Throws if the decomposition and the communicator differ in the number of ranks.
void check_size(const decomposition& g, const transport& by);

}  // namespace tridia::distributed
