// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/handles.hpp"

#include "core/refuse.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <string>
#include <vector>

namespace tridia::c_api {
namespace {

static_assert(sizeof(void*) == 8, "a handle has 64 bits: kind 8, generation 32, slot 24");

constexpr int slot_bits = 24, generation_bits = 32;
constexpr std::uint64_t first_chunk = 64;

struct slot {
  std::atomic<std::uint64_t> key{0};  ///< The handle that it has now; 0 if none.
  std::atomic<void*> object{nullptr};
  std::uint32_t generation = 0;
};

/// Holds the slots in chunks, each twice as large as the one before, that never move: readers need
/// no lock. It is never destroyed, as programs may destroy handles while they exit.
struct slot_table {
  std::array<std::atomic<slot*>, slot_bits> chunks{};
  std::mutex mutex;  ///< Of all that follows.
  std::uint64_t used = 0;
  std::vector<std::uint64_t> retired;

  static int chunk_of(std::uint64_t index) {
    return static_cast<int>(std::bit_width(index / first_chunk + 1)) - 1;
  }

  slot* at(std::uint64_t index) {
    const int c = chunk_of(index);
    if (c >= static_cast<int>(chunks.size())) return nullptr;
    slot* const chunk = chunks[c].load(std::memory_order_acquire);
    const std::uint64_t begin = first_chunk * ((std::uint64_t{1} << c) - 1);
    return chunk == nullptr ? nullptr : chunk + (index - begin);
  }

  /// Returns the number of a slot that has no handle.
  std::uint64_t take() {
    if (!retired.empty()) {
      const std::uint64_t index = retired.back();
      retired.pop_back();
      return index;
    }
    const int c = chunk_of(used);
    if (used >> slot_bits != 0 || c >= static_cast<int>(chunks.size()))
      throw error(errc::out_of_memory, "handles: there are too many of them");
    if (chunks[c].load(std::memory_order_relaxed) == nullptr) {
      const std::uint64_t size = first_chunk << c;
      retired.reserve(static_cast<std::size_t>(2 * first_chunk) << c);  // none is lost later
      chunks[c].store(new slot[size], std::memory_order_release);
    }
    return used++;
  }
};

slot_table& table() {
  static slot_table& all = *new slot_table;
  return all;
}

std::uint64_t index_of(std::uint64_t handle) {
  return handle & ((std::uint64_t{1} << slot_bits) - 1);
}

const char* noun(kind k) {
  switch (k) {
    case kind::plan:
      return "a plan";
    case kind::tuning:
      return "a tuning table";
    case kind::scheme:
      return "a scheme";
    case kind::closure:
      return "a closure";
    case kind::compact_operator:
      return "an operator";
    case kind::decomposition:
      return "a decomposition";
    case kind::communicator:
      return "a communicator";
    case kind::distributed_plan:
      return "a distributed plan";
    case kind::distributed_operator:
      return "a distributed operator";
    case kind::halo_exchange:
      return "a halo exchange";
    case kind::differential_operator:
      return "a differential operator";
  }
  return "a handle";
}

/// Returns the slot of a valid handle of this kind.
slot& valid_slot(kind k, const void* handle, const char* name) {
  if (handle == nullptr) refuse(std::string(name) + ": is null");
  const auto key = reinterpret_cast<std::uint64_t>(handle);
  slot* const s = key >> (slot_bits + generation_bits) == static_cast<std::uint64_t>(k)
                      ? table().at(index_of(key))
                      : nullptr;
  if (s == nullptr || s->key.load(std::memory_order_acquire) != key)
    refuse(std::string(name) + ": is not " + noun(k) + ", or was destroyed");
  return *s;
}

}  // namespace

std::uint64_t add_handle(kind k, void* object) {
  slot_table& all = table();
  const std::lock_guard lock(all.mutex);
  const std::uint64_t index = all.take();
  slot& s = *all.at(index);
  const std::uint64_t key = (static_cast<std::uint64_t>(k) << (slot_bits + generation_bits)) |
                            (std::uint64_t{++s.generation} << slot_bits) | index;
  s.object.store(object, std::memory_order_relaxed);
  s.key.store(key, std::memory_order_release);
  return key;
}

void* find_handle(kind k, const void* handle, const char* name) {
  return valid_slot(k, handle, name).object.load(std::memory_order_relaxed);
}

void* remove_handle(kind k, const void* handle, const char* name) {
  slot_table& all = table();
  const std::lock_guard lock(all.mutex);
  slot& s = valid_slot(k, handle, name);
  s.key.store(0, std::memory_order_release);
  all.retired.push_back(index_of(reinterpret_cast<std::uint64_t>(handle)));
  return s.object.exchange(nullptr);
}

}  // namespace tridia::c_api
