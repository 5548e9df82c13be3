// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "support/operators.hpp"

namespace {
std::atomic<long> count{0};
}

long tridia_test::allocations() { return count; }

void tridia_test::expect_applying_allocates_nothing(const tridia::compact_operator& op) {
  std::vector<double> in(count_of(op.in_extents()), 1), out(count_of(op.out_extents()));
  std::vector<std::byte> workspace(op.workspace_bytes());
  const tridia::execution e{.workspace = workspace.data(), .workspace_bytes = workspace.size()};
  op.apply(in.data(), out.data(), e);
  const auto before = allocations();
  op.apply(in.data(), out.data(), e);
  op.apply_add(2, in.data(), out.data(), e);
  EXPECT_EQ(allocations(), before);
}

#if !defined(__SANITIZE_ADDRESS__)

namespace {
void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  ++count;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* p = allocate(bytes, alignment)) return p;
  throw std::bad_alloc();
}

constexpr std::size_t kAlignment = alignof(std::max_align_t);
std::size_t number(std::align_val_t a) { return static_cast<std::size_t>(a); }
}  // namespace

// The array forms call these.
void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, kAlignment); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return allocate_or_throw(bytes, number(a));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, kAlignment);
}
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(bytes, number(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

#endif
