// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "layout/resolve.hpp"
#include "tridia/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace tridia::layout {
namespace {

struct range {
  std::intptr_t begin, end;  // bytes
};

range span_of(const resolved_array& a, const void* p, index_t size) {
  const auto at = reinterpret_cast<std::intptr_t>(p);
  return {at - a.elements_before() * size, at + a.elements_after() * size};
}

bool same_array(const resolved_array& a, const resolved_array& b) {
  if (a.extents != b.extents) return false;
  for (std::size_t k = 0; k < a.extents.size(); ++k) {
    if (a.extents[k] > 1 && a.strides[k] != b.strides[k]) return false;
  }
  return true;
}

index_t common_step(const resolved_array& a, index_t step) {
  for (std::size_t k = 0; k < a.extents.size(); ++k) {
    if (a.extents[k] > 1) step = std::gcd(step, std::abs(a.strides[k]));
  }
  return step;
}

/// Returns whether two arrays interleave, as the members of an array of structures do: all strides
/// share a step, and the distance between the two is not a multiple of it.
bool interleaved(const resolved_array& a, const resolved_array& b, index_t distance, index_t size) {
  const index_t step = common_step(b, common_step(a, 0)) * size;
  if (step == 0) return false;
  const index_t rest = ((distance % step) + step) % step;
  return rest >= size && rest <= step - size;
}

/// Describes an axis along which two arrays have one stride: indices of the first minus those of
/// the second lie between `least` and `most`.
struct common_axis {
  index_t stride, least, most;
};

/// Returns whether some indices differ by `distance` elements. Each stride is at least what the
/// later, faster axes span, so that only the two nearest multiples of it are possible.
bool reaches(const std::vector<common_axis>& axes, std::size_t k, index_t distance) {
  if (k == axes.size()) return distance == 0;
  const common_axis& a = axes[k];
  const index_t q = distance / a.stride;
  for (index_t i = q - 1; i <= q + 1; ++i) {
    if (i >= a.least && i <= a.most && reaches(axes, k + 1, distance - i * a.stride)) return true;
  }
  return false;
}

/// Returns whether two blocks of one array, as f[:, :n] and f[:, n:], share an element; equal
/// strides make this decidable.
bool apart_in_one_array(const resolved_array& a, const resolved_array& x, index_t distance,
                        index_t size) {
  if (distance % size != 0) return false;
  std::vector<common_axis> axes;
  for (std::size_t k = 0; k < x.extents.size(); ++k) {
    if (a.extents[k] <= 1 && x.extents[k] <= 1) continue;
    if (a.strides[k] != x.strides[k] || a.strides[k] == 0) return false;
    // With a negative stride the two arrays change roles.
    const index_t most = a.extents[k] - 1, least = 1 - x.extents[k];
    axes.push_back(a.strides[k] > 0 ? common_axis{a.strides[k], least, most}
                                    : common_axis{-a.strides[k], -most, -least});
  }
  std::sort(axes.begin(), axes.end(),
            [](const auto& p, const auto& q) { return p.stride > q.stride; });
  // a's element i and x's element j coincide where (i - j) * stride is the distance from a to x.
  return !reaches(axes, 0, -distance / size);
}

std::string text(range r) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "[%#jx, %#jx)", static_cast<std::uintmax_t>(r.begin),
                static_cast<std::uintmax_t>(r.end));
  return buffer;
}

}  // namespace

void check_overlap(const problem& p, const resolved& r, const void* const (&inputs)[input_count],
                   const void* x) {
  if (r.out.empty()) return;
  const auto size = static_cast<index_t>(size_of(p.type));
  const range out = span_of(r.out, x, size);
  for (int k = 0; k < input_count; ++k) {
    const resolved_array& a = r.in[k];
    if (inputs[k] == nullptr || a.empty()) continue;
    const range in = span_of(a, inputs[k], size);
    if (in.end <= out.begin || out.end <= in.begin) continue;
    if (inputs[k] == x && same_array(a, r.out)) continue;
    const index_t distance =
        reinterpret_cast<std::intptr_t>(inputs[k]) - reinterpret_cast<std::intptr_t>(x);
    if (interleaved(a, r.out, distance, size)) continue;
    if (apart_in_one_array(a, r.out, distance, size)) continue;
    throw error(errc::invalid_argument,
                std::string(r.out.name) + ": its bytes " + text(out) + " overlap those of " +
                    a.name + ", " + text(in) +
                    ", in another layout: pass the same pointer and strides, or " +
                    "arrays that are apart");
  }
}

}  // namespace tridia::layout
