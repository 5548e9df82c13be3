// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests exchange halos of blocks in three directions. Each point has a different number, so
// that a wrong one is seen; points that no neighbour holds must not change.
#include <gtest/gtest.h>

#include "mpi/field.hpp"

namespace tridia_test {
namespace {

using tridia::value_type;
using tridia::distributed::decomposition;
using tridia::distributed::halo;
using tridia::distributed::halo_exchange;

constexpr int kOutside = -7;

/// Holds a block with its halo in a separate array; `reversed` means Fortran order, with the first
/// axis backwards.
class padded {
 public:
  padded(const halo& h, const decomposition& g, bool reversed) : asked(h), grid_(g) {
    own_ = g.block(world_rank());
    index_t step = 1;
    asked.strides.resize(3);
    for (int k = 0; k < 3; ++k) {
      const int a = reversed ? k : 2 - k;
      asked.strides[a] = step;
      step *= own_.extents[a] + h.before[a] + h.after[a];
      origin_ += h.before[a] * asked.strides[a];
    }
    if (reversed) {
      origin_ += (own_.extents[0] + h.after[0] - 1 - h.before[0]) * asked.strides[0];
      asked.strides[0] = -asked.strides[0];
    }
    memory_ = ranks_memory(static_cast<std::size_t>(step) * size_of(h.type));
    for (index_t k = 0; k < step; ++k) store(h.type, memory_.host(), k, kOutside);
  }
  void* block() { return memory_.there() + origin_ * size_of(asked.type); }
  /// These copy it to where plans work on it, and back.
  void push() { memory_.push(); }
  void pull() { memory_.pull(); }
  /// Calls f(point, relative to the block; the axes along which it is outside the block).
  template <class F>
  void for_each(F f) const {
    std::vector<index_t> i(3);
    const auto first = [&](int a) { return -index_t{asked.before[a]}; };
    const auto end = [&](int a) { return own_.extents[a] + asked.after[a]; };
    for (i[0] = first(0); i[0] < end(0); ++i[0])
      for (i[1] = first(1); i[1] < end(1); ++i[1])
        for (i[2] = first(2); i[2] < end(2); ++i[2]) {
          int outside = 0;
          for (int a = 0; a < 3; ++a) outside += i[a] < 0 || i[a] >= own_.extents[a];
          f(i, outside);
        }
  }
  wide get(const std::vector<index_t>& i) const { return load(asked.type, memory_.host(), at(i)); }
  void set(const std::vector<index_t>& i, wide v) { store(asked.type, memory_.host(), at(i), v); }
  /// Returns the number of a point of the whole array; kOutside if there is none.
  wide number(const std::vector<index_t>& i) const {
    wide n = 0;
    for (int a = 0; a < 3; ++a) {
      const index_t extent = grid_.extents()[a];
      index_t k = own_.begin[a] + i[a];
      if (asked.periodic[a]) k = (k + extent) % extent;
      if (k < 0 || k >= extent) return kOutside;
      n = n * static_cast<long double>(extent) + static_cast<long double>(k);
    }
    return n;
  }

  halo asked;

 private:
  index_t at(const std::vector<index_t>& i) const {
    index_t k = origin_;
    for (int a = 0; a < 3; ++a) k += i[a] * asked.strides[a];
    return k;
  }
  decomposition grid_;
  tridia::distributed::block own_;
  index_t origin_ = 0;
  ranks_memory memory_{0};
};

void expect_exchanged(const halo& h, const decomposition& g, bool reversed,
                      const tridia::distributed::communicator& by) {
  padded field(h, g, reversed);
  halo_exchange faces(g, reversed ? field.asked : h, by);
  for (int step = 1; step <= 2; ++step) {
    field.for_each([&](const auto& i, int outside) {
      field.set(i, outside ? wide(kOutside) : field.number(i) * wide(step));
    });
    field.push();
    faces.start(field.block());
    faces.finish();
    field.pull();
    field.for_each([&](const auto& i, int outside) {
      const bool filled = outside <= 1 && field.number(i) != wide(kOutside);
      ASSERT_EQ(field.get(i), filled ? field.number(i) * wide(step) : wide(kOutside))
          << i[0] << ' ' << i[1] << ' ' << i[2];
    });
  }
}

TEST(Halo, HoldsWhatNeighboursHave) {
  const auto by = ranks();
  for (const auto& process_grid : process_grids())
    for (const value_type type : {value_type::f32, value_type::f64, value_type::c128})
      for (const bool reversed : {false, true})
        for (const std::vector<bool>& periodic :
             {std::vector<bool>{false, false, false}, {true, true, true}, {false, true, false}}) {
          std::vector<std::vector<index_t>> parts;
          for (const int count : process_grid) {
            parts.emplace_back();
            for (int k = 0; k < count; ++k) parts.back().push_back(3 + k % 2);
          }
          const halo h{type, {}, {1, 3, 2}, {2, 0, 1}, periodic};
          expect_exchanged(h, decomposition::of_parts(parts), reversed, by);
        }
}

TEST(Halo, IsRefusedWhereABlockIsTooThin) {
  const auto by = ranks();
  const decomposition g({2 * world_size(), 4}, {world_size(), 1});
  const auto refusal = [&](const halo& h) -> std::string {
    try {
      halo_exchange faces(g, h, by);
    } catch (const tridia::error& e) {
      EXPECT_EQ(e.code(), tridia::errc::invalid_argument);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({.before = {3, 0}}),
            "before: axis 0 has 3 layers, but a block there has only 2 points");
  EXPECT_EQ(refusal({.after = {0, -1}}), "after: axis 1 has -1 layers, below 0");
  EXPECT_EQ(refusal({.periodic = {true}}),
            "periodic: has 1 entries, but the decomposition has 2 axes");
  EXPECT_NE(refusal({.strides = {1, 1}}).find("its elements overlap"), std::string::npos);
  EXPECT_EQ(refusal({.before = {2, 4}}), "");
}

}  // namespace
}  // namespace tridia_test
