// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/cuda/carry.hpp"
#include "distributed/nccl/peer_memory.hpp"
#include "distributed/transport.hpp"

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace tridia::distributed {

using messages = std::span<const message>;

/// Carries messages of an exchange by stores into the memory of the ranks that receive them. The
/// n-th message to a rank, and the n-th from it, has a channel of its own, as large as that message
/// was when the exchange first started; messages without one are left to the caller.
class peer_channels {
 public:
  /// Exchanges messages with other ranks, after the work before in a stream, and waits for them.
  using meeting = std::function<void(messages receives, messages sends)>;

  /// Makes channels for messages from and to those ranks that are `reached`, which do the same,
  /// with so many `places` for each: one, which `send` and `receive` count, or two of a way. `meet`
  /// works in the stream `on`.
  peer_channels(peer_memory*, const wait_limits&, const std::vector<bool>& reached,
                messages receives, messages sends, std::size_t places, cudaStream_t on,
                const meeting& meet);
  ~peer_channels();
  peer_channels(const peer_channels&) = delete;
  peer_channels& operator=(const peer_channels&) = delete;

  [[nodiscard]] bool empty() const { return by_rank_.empty(); }
  /// Sends messages once the work before in a stream is done; adds those without a channel to
  /// `rest`.
  void send(messages, std::vector<message>& rest, cudaStream_t);
  /// Lets a stream wait for messages.
  void receive(messages, cudaStream_t);
  /// Adds messages to be received that have no channel to `rest`.
  void leave_out(messages receives, std::vector<message>& rest) const;

  /// Returns the way for kernels, where each rank that is sent to sends one message as well, and
  /// channels have two places.
  [[nodiscard]] direct_way way(messages receives, messages sends) const;

  /// Returns whether all that was sent has been taken, after which other ranks write nothing here.
  /// The GPU must have no work left.
  [[nodiscard]] bool is_quiet() const;
  /// Keeps the memory that other ranks may write to from being used for anything else.
  void abandon() { block_ = {}; }

 private:
  struct channel {
    std::size_t bytes, counter;  // its first counter of all
    std::byte* slot;             // in the memory of the receiver
    unsigned* told;              // in that of the other rank
  };
  struct channels {
    std::vector<channel> to, from;
  };
  struct note;
  using direction = std::vector<channel> channels::*;

  void lay_out(const std::vector<bool>& reached, messages, direction);
  void place();
  void tell(cudaStream_t, const meeting&);
  void listen(channels&, const note*);
  [[nodiscard]] note note_of(const channel&) const;
  void add(const channel&, std::byte* to, const std::byte* from, std::size_t bytes, unsigned ahead);
  template <class F>
  void for_each(messages, direction, const F&) const;
  void go(cudaStream_t);

  peer_memory* memory_;  // null only where no rank is reached
  wait_limits limits_;
  std::size_t places_;
  std::map<int, channels> by_rank_;
  std::size_t sent_ = 0, counters_ = 0;  // those of chunks that are sent come first
  peer_memory::block block_{};
  // How far other ranks are with each chunk, and this rank; the slots follow.
  unsigned *heard_ = nullptr, *counts_ = nullptr;
  std::vector<carried> now_;
};

}  // namespace tridia::distributed
