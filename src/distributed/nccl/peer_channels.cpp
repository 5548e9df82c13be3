// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/nccl/peer_channels.hpp"

#include <cstdint>

namespace tridia::distributed {
namespace {

using gpu::check;

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Counters begin just before they wrap, which is thus met in every use.
constexpr int first_byte = 0xff;

}  // namespace

/// Tells the rank at the other end of a channel where this rank's end is.
struct peer_channels::note {
  peer_memory::address window;
  std::uint64_t counters, slot;  // from the start of the window; the slot is the receiver's
};

peer_channels::peer_channels(peer_memory* memory, const wait_limits& limits,
                             const std::vector<bool>& reached, messages receives, messages sends,
                             std::size_t places, cudaStream_t on, const meeting& meet)
    : memory_(memory), limits_(limits), places_(places) {
  lay_out(reached, sends, &channels::to);
  sent_ = counters_;
  lay_out(reached, receives, &channels::from);
  if (empty()) return;
  place();
  tell(on, meet);
}

peer_channels::~peer_channels() {
  if (block_.at != nullptr) memory_->release(block_);
}

void peer_channels::lay_out(const std::vector<bool>& reached, messages all, direction d) {
  for (const message& m : all) {
    if (!reached[static_cast<std::size_t>(m.peer)] || m.bytes == 0) continue;
    (by_rank_[m.peer].*d).push_back({m.bytes, counters_, nullptr, nullptr});
    // What kernels write right into two places says by itself whether it has come (direct_way.hpp).
    if (places_ == 1) counters_ += chunks_of(m.bytes);
  }
}

void peer_channels::place() {
  const std::size_t counters = aligned(counters_ * sizeof(unsigned));
  std::size_t bytes = 2 * counters;
  for (const auto& [rank, c] : by_rank_) {
    for (const channel& from : c.from) bytes += places_ * aligned(from.bytes);
  }
  block_ = memory_->allocate(bytes);
  heard_ = reinterpret_cast<unsigned*>(block_.at);
  counts_ = reinterpret_cast<unsigned*>(block_.at + counters);
  std::byte* slot = block_.at + 2 * counters;
  for (auto& [rank, c] : by_rank_) {
    for (channel& from : c.from) {
      from.slot = slot;
      slot += places_ * aligned(from.bytes);
    }
  }
}

peer_channels::note peer_channels::note_of(const channel& c) const {
  const std::size_t slot = c.slot == nullptr ? 0 : static_cast<std::size_t>(c.slot - block_.at);
  return {memory_->window_of(block_), block_.offset + c.counter * sizeof(unsigned),
          block_.offset + slot};
}

/// Exchanges notes: those about messages to be received come first.
void peer_channels::tell(cudaStream_t on, const meeting& meet) {
  std::vector<note> notes;
  for (const auto& [rank, c] : by_rank_) {
    for (const channel& from : c.from) notes.push_back(note_of(from));
    for (const channel& to : c.to) notes.push_back(note_of(to));
  }
  const std::size_t bytes = notes.size() * sizeof(note), counters = counters_ * sizeof(unsigned);
  const peer_memory::block own = memory_->allocate(bytes), theirs = memory_->allocate(bytes);
  std::vector<message> sends, receives;
  std::size_t at = 0;
  for (const auto& [rank, c] : by_rank_) {
    const std::size_t amount = (c.from.size() + c.to.size()) * sizeof(note);
    sends.push_back({rank, own.at + at, amount});
    receives.push_back({rank, theirs.at + at, amount});
    at += amount;
  }
  check(cudaMemsetAsync(heard_, first_byte, counters, on), "cudaMemset");
  check(cudaMemsetAsync(counts_, first_byte, counters, on), "cudaMemset");
  check(cudaMemcpyAsync(own.at, notes.data(), bytes, cudaMemcpyHostToDevice, on),
        "copying to the device");
  meet(receives, sends);
  check(cudaMemcpy(notes.data(), theirs.at, bytes, cudaMemcpyDeviceToHost), "copying to the host");
  memory_->release(own), memory_->release(theirs);
  const note* of_rank = notes.data();
  for (auto& [rank, c] : by_rank_) {
    listen(c, of_rank);
    of_rank += c.from.size() + c.to.size();
  }
}

/// Reads the notes of a rank, whose messages to be received are those to it.
void peer_channels::listen(channels& c, const note* notes) {
  const auto find = [&](channel& own) {
    const note& other = *notes++;
    std::byte* const window = memory_->reach(other.window);
    if (window == nullptr) {
      throw error(errc::device_failure, "CUDA: memory of another rank cannot be reached any more");
    }
    own.told = reinterpret_cast<unsigned*>(window + other.counters);
    if (own.slot == nullptr) own.slot = window + other.slot;
  };
  for (channel& to : c.to) find(to);
  for (channel& from : c.from) find(from);
}

void peer_channels::add(const channel& c, std::byte* to, const std::byte* from, std::size_t bytes,
                        unsigned ahead) {
  now_.push_back({to, from, bytes, heard_ + c.counter, c.told, counts_ + c.counter, ahead});
}

/// Calls f(message, channel) for messages that are not empty; the channel is null where there is
/// none.
template <class F>
void peer_channels::for_each(messages all, direction d, const F& f) const {
  std::map<int, std::size_t> seen;
  for (const message& m : all) {
    if (m.bytes == 0) continue;
    const auto found = by_rank_.find(m.peer);
    const std::size_t n = seen[m.peer]++;
    const bool has = found != by_rank_.end() && n < (found->second.*d).size() &&
                     m.bytes <= (found->second.*d)[n].bytes;
    f(m, has ? &(found->second.*d)[n] : nullptr);
  }
}

void peer_channels::send(messages all, std::vector<message>& rest, cudaStream_t stream) {
  for_each(all, &channels::to, [&](const message& m, const channel* c) {
    if (c == nullptr) return rest.push_back(m);
    add(*c, c->slot, static_cast<const std::byte*>(m.data), m.bytes, 0);
  });
  go(stream);
}

void peer_channels::receive(messages all, cudaStream_t stream) {
  for_each(all, &channels::from, [&](const message& m, const channel* c) {
    if (c != nullptr) add(*c, static_cast<std::byte*>(m.data), c->slot, m.bytes, 1);
  });
  go(stream);
}

void peer_channels::leave_out(messages receives, std::vector<message>& rest) const {
  for_each(receives, &channels::from, [&](const message& m, const channel* c) {
    if (c == nullptr) rest.push_back(m);
  });
}

void peer_channels::go(cudaStream_t stream) {
  const cudaError_t launched = carry(now_, limits_, stream);
  now_.clear();
  check(launched, "carrying messages");
}

direct_way peer_channels::way(messages receives, messages sends) const {
  direct_way way{{}, {}, limits_};
  for_each(sends, &channels::to, [&](const message& m, const channel* c) {
    way.to.push_back({c->slot, aligned(m.bytes), m.bytes});
  });
  for_each(receives, &channels::from, [&](const message& m, const channel* c) {
    way.from.push_back({c->slot, aligned(m.bytes), m.bytes});
  });
  return way;
}

bool peer_channels::is_quiet() const {
  std::vector<unsigned> taken(sent_), sent(sent_);
  const std::size_t bytes = sent_ * sizeof(unsigned);
  if (bytes == 0) return true;  // with two places, what was sent has been received
  check(cudaMemcpy(taken.data(), heard_, bytes, cudaMemcpyDeviceToHost), "copying to the host");
  check(cudaMemcpy(sent.data(), counts_, bytes, cudaMemcpyDeviceToHost), "copying to the host");
  return taken == sent;
}

}  // namespace tridia::distributed
