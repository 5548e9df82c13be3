// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/c/gtsv.h"

#include "c_api/drop_in/current_device.hpp"
#include "c_api/drop_in/recent_plans.hpp"
#include "c_api/guard.hpp"

#include <algorithm>

namespace {

using namespace tridia::c_api;
using tridia::index_t;
using tridia::refuse;

/// Holds all that a plan is made of.
struct shape {
  int arrangement;
  tridia::value_type type;
  index_t m, count, stride;
  int device;
  bool operator==(const shape&) const = default;
};

void check_count(const char* name, index_t count) {
  if (count < 0) refuse(std::string(name) + ": " + std::to_string(count) + " is below 0");
}

/// Checks all that can be checked without a GPU; the names are cuSPARSE's. The device is left open.
shape check_shape(int arrangement, int type, index_t m, index_t count, index_t stride) {
  if (arrangement < TRIDIA_GTSV_COLUMNS || arrangement > TRIDIA_GTSV_INTERLEAVED)
    refuse("arrangement: " + std::to_string(arrangement) + " is not one of its values");
  const bool columns = arrangement == TRIDIA_GTSV_COLUMNS;
  const bool interleaved = arrangement == TRIDIA_GTSV_INTERLEAVED;
  const shape s{arrangement,
                enumerator<tridia::value_type>(type, "type"),
                m,
                count,
                interleaved ? 0 : stride,
                0};
  check_count("m", m);
  check_count(columns ? "n" : "batchCount", count);
  if (!interleaved && stride < std::max<index_t>(1, m)) {
    refuse(std::string(columns ? "ldb: " : "batchStride: ") + std::to_string(stride) +
           " is below " + (m > 0 ? "m = " + std::to_string(m) : std::string("1")));
  }
  return s;
}

tridia::problem problem_of(const shape& s) {
  tridia::problem p;
  p.type = s.type;
  if (s.arrangement == TRIDIA_GTSV_INTERLEAVED) {
    p.extents = {s.m, s.count};
    p.axis = 0;
    return p;
  }
  p.extents = {s.count, s.m};
  p.rhs_strides = p.x_strides = {s.stride, 1};
  if (s.arrangement == TRIDIA_GTSV_COLUMNS) {
    p.coefficients = tridia::coefficients::shared;
  } else {
    p.dl_strides = p.d_strides = p.du_strides = p.rhs_strides;
  }
  return p;
}

/// Returns the plan for the current GPU.
std::shared_ptr<const tridia::plan> plan_of(shape s) {
  s.device = current_device();
  // It is never destroyed: what destructors of a program still call at its end finds it.
  static auto* const plans = new recent_plans<shape>;
  return plans->find(s, [&] {
    return tridia::plan(problem_of(s), {.backend = tridia::backend::cuda, .device = s.device});
  });
}

}  // namespace

extern "C" {

tridia_result tridia_gtsv_workspace_bytes(int arrangement, int type, int64_t m, int64_t count,
                                          int64_t stride, size_t* bytes) {
  return guarded([&] {
    const shape s = check_shape(arrangement, type, m, count, stride);
    need(bytes, "bytes");
    *bytes = plan_of(s)->workspace_bytes();
  });
}

tridia_result tridia_gtsv_execute(int arrangement, int type, int64_t m, int64_t count,
                                  int64_t stride, const void* dl, const void* d, const void* du,
                                  void* x, void* workspace, void* stream) {
  return guarded([&] {
    const shape s = check_shape(arrangement, type, m, count, stride);
    if (m == 0 || count == 0) return;
    need(dl, "dl");
    need(d, "d");
    need(du, "du");
    need(x, "x");
    const auto p = plan_of(s);
    p->execute(dl, d, du, x, x,
               {.workspace = workspace,
                .workspace_bytes = workspace == nullptr ? 0 : p->workspace_bytes(),
                .stream = stream});
  });
}

}  // extern "C"
