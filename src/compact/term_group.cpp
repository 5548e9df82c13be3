// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/term_group.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tridia::compact {
namespace {

/// Does one term by itself.
class lone_term final : public term_group {
 public:
  explicit lone_term(const term& t)
      : number_(t.number),
        is_empty_(t.made->arrays.empty()),
        executor_(make_operator_executor(t.made->make_task())) {
    description_ = t.description(executor_->step_count());
  }
  std::string description() const override { return description_; }
  const operator_executor& executor() const override { return *executor_; }
  int threads() const override { return executor_->threads(); }
  std::size_t workspace_bytes() const override { return executor_->workspace_bytes(); }
  void apply(std::span<const call> calls) const override {
    if (!is_empty_) executor_->apply(calls[number_]);
  }

 private:
  std::size_t number_;
  bool is_empty_;
  std::string description_;
  std::unique_ptr<const operator_executor> executor_;
};

/// Returns how far apart neighbours along an axis are, in both arrays of a term.
index_t reach(const term& t, std::size_t axis) {
  const layout::resolved& r = t.made->arrays.resolved;
  return std::abs(r.in[layout::rhs_in].strides[axis]) + std::abs(r.out.strides[axis]);
}
index_t extent(const term& t, std::size_t axis) {
  const layout::resolved& r = t.made->arrays.resolved;
  return std::max(r.in[layout::rhs_in].extents[axis], r.out.extents[axis]);
}
std::size_t acted_axis(const term& t) {
  return static_cast<std::size_t>(t.made->arrays.resolved.axis);
}

/// Returns null where terms are done one after another. They always are on a GPU: one term keeps
/// its multiprocessors busy, and two at the same time take longer (docs/gpu/lab-notes.md).
std::unique_ptr<const term_group> make_group(std::span<const term> terms, sharing shared) {
  if (terms.front().made->options.backend != backend::cpu) return {};
  const auto is_empty = [](const term& t) { return t.made->arrays.empty(); };
  if (std::any_of(terms.begin(), terms.end(), is_empty) || slabs_of(terms).count == 1) return {};
  return make_cpu_group(terms, shared);
}

}  // namespace

slab_axes slabs_of(std::span<const term> terms) {
  const std::size_t axes = terms.front().made->arrays.resolved.out.extents.size();
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < axes; ++k) {
    const auto is_long = [&](const term& t) { return extent(t, k) > 1; };
    if (std::any_of(terms.begin(), terms.end(), is_long)) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return reach(terms.front(), a) > reach(terms.front(), b);
  });
  slab_axes slabs;
  for (auto at = order.begin(); at != order.end(); ++at) {
    const auto acts = [&](const term& t) { return acted_axis(t) == *at; };
    const auto is_slowest = [&](const term& t) {
      return std::all_of(at + 1, order.end(),
                         [&](std::size_t later) { return reach(t, *at) > reach(t, later); });
    };
    if (std::any_of(terms.begin(), terms.end(), acts)) break;
    if (!std::all_of(terms.begin(), terms.end(), is_slowest)) break;
    slabs.axes.push_back(*at);
    slabs.count *= extent(terms.front(), *at);
  }
  return slabs;
}

int grouped_terms::threads() const {
  int most = 1;
  for (const auto& g : groups) most = std::max(most, g->threads());
  return most;
}

std::size_t grouped_terms::workspace_bytes() const {
  std::size_t bytes = 0;
  for (const auto& g : groups) bytes = std::max(bytes, g->workspace_bytes());
  return bytes;
}

grouped_terms group_terms(std::span<const prepared_operator> all, sharing shared) {
  std::vector<term> terms;
  for (const prepared_operator& p : all) terms.push_back({&p, terms.size()});
  // A sum has an order; other results are made from the slowest axis to the fastest.
  if (!shared.result) {
    std::stable_sort(terms.begin(), terms.end(), [](const term& a, const term& b) {
      return reach(a, acted_axis(a)) > reach(b, acted_axis(b));
    });
  }
  grouped_terms made;
  const std::span<const term> in_order = terms;
  for (std::size_t first = 0, count; first < terms.size(); first += count) {
    std::unique_ptr<const term_group> group;
    for (count = terms.size() - first; count > 1 && !group; --count) {
      group = make_group(in_order.subspan(first, count), shared);
      if (group) break;
    }
    if (!group) group = std::make_unique<lone_term>(terms[first]);
    made.description += (made.groups.empty() ? "" : "; then ") + group->description();
    made.groups.push_back(std::move(group));
  }
  return made;
}

}  // namespace tridia::compact
