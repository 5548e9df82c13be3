// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <algorithm>

namespace tridia::distributed {

/// The lines of a rank, cut into parcels that travel by themselves: parcel after parcel, in each
/// word after word, in each line after line.
struct parcels {
  index_t lines, each;

  [[nodiscard]] index_t count() const { return (lines + each - 1) / each; }
  /// The first line of a parcel; parcels beyond the last are empty.
  [[nodiscard]] index_t begin(index_t parcel) const { return std::min(parcel * each, lines); }
  [[nodiscard]] index_t size(index_t parcel) const { return begin(parcel + 1) - begin(parcel); }
};

}  // namespace tridia::distributed
