// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace tridia::cli {
namespace {

using clock = std::chrono::steady_clock;
constexpr auto interval = std::chrono::milliseconds(100);
constexpr index_t width = 40;

}  // namespace

// A single part is done before there is anything to show.
progress::progress(bool enabled, index_t parts, std::string_view parts_name)
    : enabled_(enabled && parts > 1),
      parts_(parts),
      parts_name_(parts_name),
      begin_(clock::now()),
      drawn_(begin_) {
  if (enabled_) draw();
}

progress::~progress() {
  if (enabled_) fmt::print(stderr, "\r\x1b[K");
}

void progress::advance() {
  ++done_;
  if (!enabled_ || clock::now() - drawn_ < interval) return;
  drawn_ = clock::now();
  draw();
}

void progress::draw() const {
  const double share = static_cast<double>(done_) / static_cast<double>(parts_);
  const double seconds = std::chrono::duration<double>(drawn_ - begin_).count();
  const auto filled = static_cast<std::size_t>(share * width);
  const std::string bar = std::string(filled, '#') + std::string(width - filled, ' ');
  const std::string left =
      done_ == 0 ? "" : fmt::format(", {:.0f} s left", seconds / share - seconds);
  fmt::print(stderr, "\r[{}] {:3.0f} % ({} of {} {}{})\x1b[K", bar, 100 * share, done_, parts_,
             parts_name_, left);
  std::fflush(stderr);
}

bool stderr_is_terminal() noexcept { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace tridia::cli
