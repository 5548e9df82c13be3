// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/group_batch.hpp"

#include <algorithm>

namespace tridia::cpu {

// Many short lines leave no time to locate each by itself.
void place_lines(group_batch& batch, const layout::axes& systems, index_t from,
                 const index_t (&base)[layout::array_count], int lanes) {
  const index_t extent = systems.count > 0 ? systems.at[systems.count - 1].extent : 1;
  int run;
  for (int l = 0; l < batch.live; l += run) {
    const index_t left = extent - (from + l) % extent;
    run = static_cast<int>(std::min<index_t>(batch.live - l, left));
    index_t at[layout::array_count];
    systems.offsets(from + l, at);
    batch.evenly = run == batch.live;
    for (int a = 0; a < layout::array_count; ++a) {
      const index_t apart = systems.count > 0 ? systems.at[systems.count - 1].stride[a] : 0;
      batch.apart[a] = apart;
      index_t place = base[a] + at[a];
      int i = 0;
      if (batch.evenly && a != layout::status) {
        for (; i + lanes < run; i += lanes, place += lanes * apart) batch.line[a][l + i] = place;
      }
      for (; i < run; ++i, place += apart) batch.line[a][l + i] = place;
    }
  }
  std::fill_n(batch.first, batch.live, 0);
  batch.longest_pad = 0;
  repeat_lines(batch, lanes);
}

void repeat_lines(group_batch& batch, int lanes) {
  const int from = (batch.groups - 1) * lanes;
  for (int l = batch.live; l < batch.groups * lanes; ++l) {
    for (auto& line : batch.line) line[l] = line[from];
    batch.first[l] = batch.first[from];
  }
}

}  // namespace tridia::cpu
