// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia_lapack.h"

#include "c_api/guard.hpp"
#include "tridia/solve.hpp"

#include <algorithm>
#include <span>

namespace {

using namespace tridia::c_api;
using tridia::index_t;
using tridia::refuse;
using tridia::value_type;

/// Holds an array of coefficients, and the elements from one system to the next.
struct coefficient {
  const void* array;
  index_t stride;
};

void check_count(const char* name, index_t count) {
  if (count < 0) refuse(std::string(name) + ": " + std::to_string(count) + " is below 0");
}

/// Returns whether `count` pieces of `extent` elements, the next one `step` > 0 further, lie within
/// `limit` elements.
bool fit(index_t count, index_t step, index_t extent, index_t limit) {
  return limit >= extent && count - 1 <= (limit - extent) / step;
}

/// Refuses a stride with which right-hand sides lie in each other: each B_k lies before the next
/// one, or the columns of all of them lie before the next columns.
void check_stride(index_t n, index_t nrhs, index_t ldb, index_t b_stride, index_t batch) {
  if (n == 0 || nrhs == 0 || batch < 2 || fit(nrhs, ldb, n, b_stride)) return;
  if (b_stride >= n && fit(batch, b_stride, n, ldb)) return;
  refuse("b_stride: with " + std::to_string(b_stride) +
         " the right-hand sides of two systems share elements; a B has " + std::to_string(nrhs) +
         " columns of " + std::to_string(n) + ", each " + std::to_string(ldb) + " further");
}

tridia_result gtsv_batch(value_type type, index_t n, index_t nrhs, coefficient dl, coefficient d,
                         coefficient du, void* b, index_t ldb, index_t b_stride, index_t batch,
                         index_t* info) {
  return guarded([&] {
    check_count("n", n);
    check_count("nrhs", nrhs);
    if (ldb < std::max<index_t>(1, n)) {
      refuse("ldb: " + std::to_string(ldb) + " is below " +
             (n > 0 ? "n = " + std::to_string(n) : std::string("1")));
    }
    check_count("batch", batch);
    check_stride(n, nrhs, ldb, b_stride, batch);
    if (nrhs > 0 && n > 0 && batch > 0) need(b, "b");
    tridia::problem p;
    p.type = type;
    p.extents = {batch, n};
    p.right_hand_sides = nrhs;
    p.short_off_diagonals = true;
    p.dl_strides = {dl.stride, 1};
    p.d_strides = {d.stride, 1};
    p.du_strides = {du.stride, 1};
    p.rhs_strides = p.x_strides = {b_stride, 1};
    p.rhs_step = p.x_step = ldb;
    const std::span<index_t> status(info, info == nullptr ? 0 : static_cast<std::size_t>(batch));
    tridia::solve(p, dl.array, d.array, du.array, b, b, {}, status);
  });
}

}  // namespace

#define TRIDIA_GTSV_BATCH(name, type, V)                                                      \
  tridia_result name(int64_t n, int64_t nrhs, const V* dl, int64_t dl_stride, const V* d,     \
                     int64_t d_stride, const V* du, int64_t du_stride, V* b, int64_t ldb,     \
                     int64_t b_stride, int64_t batch, int64_t* info) {                        \
    return gtsv_batch(type, n, nrhs, {dl, dl_stride}, {d, d_stride}, {du, du_stride}, b, ldb, \
                      b_stride, batch, info);                                                 \
  }

extern "C" {

TRIDIA_GTSV_BATCH(tridia_sgtsv_batch, value_type::f32, float)
TRIDIA_GTSV_BATCH(tridia_dgtsv_batch, value_type::f64, double)
TRIDIA_GTSV_BATCH(tridia_cgtsv_batch, value_type::c64, void)
TRIDIA_GTSV_BATCH(tridia_zgtsv_batch, value_type::c128, void)

}  // extern "C"
