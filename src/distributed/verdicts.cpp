// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/verdicts.hpp"

#include "solver/cpu/part_kernels.hpp"

#include <algorithm>

namespace tridia::distributed {

using cpu::failed_elsewhere;

index_t stronger(index_t a, index_t b) {
  if (a == 0 || b == 0) return a + b;
  if ((a < 0) != (b < 0)) return std::min(a, b);
  return a < 0 ? std::max(a, b) : std::min(a, b);
}

verdicts::verdicts(const line_of_ranks& line, index_t lines, const place& at, transport& by)
    : line_(line),
      cut_{lines, std::max<index_t>((lines + line.size() - 1) / line.size(), 1)},
      at_(at),
      by_(by) {
  const auto most = 2 * static_cast<std::size_t>(line_.size());
  found_.resize(static_cast<std::size_t>(lines));
  heard_.resize(static_cast<std::size_t>(cut_.each * line_.size()));
  there_ = by.make_exchange(most), back_ = by.make_exchange(most);
  receives_.reserve(most), sends_.reserve(most);
}

const std::vector<index_t>& verdicts::statuses() {
  for (index_t& f : found_) f = of_whole_line(f);
  if (line_.size() > 1) share();
  for (index_t& f : found_) {
    if (f == failed_elsewhere) f = at_.rows;
  }
  return found_;
}

index_t verdicts::of_whole_line(index_t found) const {
  if (found == 0 || found == failed_elsewhere) return found;
  return found < 0 ? found - at_.first_row : found + at_.first_row;
}

void verdicts::share() {
  const auto begin = [&](int r) { return found_.data() + cut_.begin(r); };
  const auto bytes = [&](int r) {
    return static_cast<std::size_t>(cut_.size(r)) * sizeof(index_t);
  };
  const auto others = [&](auto f) {
    for (int r = 0; r < line_.size(); ++r) {
      if (r != line_.here) f(r, line_.ranks[r]);
    }
  };
  const int here = line_.here;
  receives_.clear(), sends_.clear();
  others([&](int r, int peer) {
    if (bytes(here) > 0) receives_.push_back({peer, heard_.data() + r * cut_.each, bytes(here)});
    if (bytes(r) > 0) sends_.push_back({peer, begin(r), bytes(r)});
  });
  there_->start(receives_, sends_);
  there_->wait();
  others([&](int r, int) {
    const index_t* const theirs = heard_.data() + r * cut_.each;
    for (index_t k = 0; k < cut_.size(here); ++k)
      begin(here)[k] = stronger(begin(here)[k], theirs[k]);
  });
  receives_.clear(), sends_.clear();
  others([&](int r, int peer) {
    if (bytes(r) > 0) receives_.push_back({peer, begin(r), bytes(r)});
    if (bytes(here) > 0) sends_.push_back({peer, begin(here), bytes(here)});
  });
  back_->start(receives_, sends_);
  back_->wait();
}

}  // namespace tridia::distributed
