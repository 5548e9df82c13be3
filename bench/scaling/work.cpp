// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

#include "fields.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tridia_bench {
namespace {

using tridia::distributed::communicator;
using tridia::distributed::decomposition;
using tridia::distributed::phase_times;
using tridia::distributed::plan;
using tridia::distributed::plan_options;
using tridia::distributed::step_times;
using tridia::distributed::strategy;

/// `nearest` may leave out this much, relative to the largest |x|.
constexpr double kNeglected = 1e-14;

/// This rank's part of the values that the rows of a whole line have.
std::vector<double> own_rows(const decomposition& g, int rank, int axis,
                             const std::vector<double>& whole) {
  const auto own = g.block(rank);
  const auto first = whole.begin() + own.begin[axis];
  return {first, first + own.extents[axis]};
}

std::vector<step> named(const phase_times& s) {
  return {{"reduce", s.reduce}, {"interface", s.interface}, {"expand", s.expand}};
}

std::vector<step> named(const step_times& s) {
  return {{"halo", s.halo},       {"right-hand sides", s.right_hand_sides},
          {"primary", s.primary}, {"faces", s.faces},
          {"reduced", s.reduced}, {"sum", s.sum}};
}

/// Solves with own coefficients; x = 1 everywhere.
class solve_work final : public work {
 public:
  solve_work(const scaling_case& c, const communicator& by, bool timings)
      : blocks_(c.extents, c.ranks), shape_(blocks_.block(by.rank()).extents, c.axis) {
    const auto n = static_cast<std::size_t>(c.extents[c.axis]);
    std::vector<double> rhs(n, 0.5);
    rhs.front() = rhs.back() = 1.5;
    const std::vector<double> values[] = {std::vector<double>(n, -1), std::vector<double>(n, 2.5),
                                          std::vector<double>(n, -1), rhs};
    for (const auto& of_row : values) {
      in_.emplace_back(shape_, by.device());
      in_.back().fill(own_rows(blocks_, by.rank(), c.axis, of_row));
    }
    x_ = std::make_unique<field>(shape_, by.device());
    const tridia::problem lines{.axis = c.axis, .pivoting = tridia::pivoting::none};
    plan_options o{.strategy = c.how, .timings = timings};
    if (c.how == strategy::nearest && c.ranks[c.axis] > 1) {
      o.neglected_coupling =
          plan(blocks_, lines, by).neglected_coupling(in_[0].data(), in_[1].data(), in_[2].data());
      o.tolerance = kNeglected;
    }
    lines_.emplace(blocks_, lines, by, o);
  }

  void execute(void* stream) override {
    lines_->execute(in_[0].data(), in_[1].data(), in_[2].data(), in_[3].data(), x_->data(),
                    {.stream = stream});
  }
  std::vector<step> timings() const override { return named(lines_->timings()); }
  double error() const override {
    return x_->largest_error(std::vector<double>(static_cast<std::size_t>(shape_.rows), 1));
  }
  std::size_t workspace_bytes() const override { return lines_->workspace_bytes(); }
  std::string note() const override {
    return std::string(name(lines_->strategy())) + ": " + lines_->reason();
  }

 private:
  decomposition blocks_;
  block_shape shape_;
  std::optional<plan> lines_;
  std::vector<field> in_;
  std::unique_ptr<field> x_;
};

/// Computes a scheme's first derivative of a cubic, for which its default closure is exact.
class derivative_work final : public work {
 public:
  derivative_work(const scaling_case& c, const communicator& by, bool timings)
      : blocks_(c.extents, c.ranks),
        shape_(blocks_.block(by.rank()).extents, c.axis),
        derivative_(blocks_, tridia::find_scheme(tridia::quantity::first_derivative, c.scheme),
                    {.axis = c.axis, .spacing = 1.0 / static_cast<double>(c.extents[c.axis])}, by,
                    {.slabs = c.slabs, .strategy = c.how, .timings = timings}),
        how_(c.how),
        crosses_ranks_(c.ranks[c.axis] > 1),
        carriers_(by.size() > 1 ? "; " + by.reason() : ""),
        in_(shape_, by.device()),
        out_(shape_, by.device()) {
    const auto n = static_cast<std::size_t>(c.extents[c.axis]);
    std::vector<double> cubic(n), slope(n);
    for (std::size_t k = 0; k < n; ++k) {
      const double t = static_cast<double>(k) / static_cast<double>(n);
      cubic[k] = t * t * t - t, slope[k] = 3 * t * t - 1;
    }
    in_.fill(own_rows(blocks_, by.rank(), c.axis, cubic));
    slope_ = own_rows(blocks_, by.rank(), c.axis, slope);
  }

  void execute(void* stream) override { derivative_.apply(in_.data(), out_.data(), stream); }
  std::vector<step> timings() const override { return named(derivative_.timings()); }
  std::vector<step> thesis_steps() const override {
    return crosses_ranks_ ? named(derivative_.step_timings()) : std::vector<step>{};
  }
  double error() const override { return out_.largest_error(slope_) / 2; }
  std::size_t workspace_bytes() const override { return derivative_.workspace_bytes(); }
  std::string note() const override {
    const std::string method =
        how_ == strategy::automatic ? "" : std::string(name(how_)) + ": asked for; ";
    return method + "messages to and from " + std::to_string(derivative_.peers().size()) +
           " ranks" + carriers_;
  }

 private:
  decomposition blocks_;
  block_shape shape_;
  tridia::distributed::compact_operator derivative_;
  strategy how_;
  bool crosses_ranks_;
  std::string carriers_;
  field in_, out_;
  std::vector<double> slope_;
};

}  // namespace

std::unique_ptr<work> make_work(const scaling_case& c, const communicator& by, bool timings) {
  if (c.does == scaling_case::what::solve) return std::make_unique<solve_work>(c, by, timings);
  return std::make_unique<derivative_work>(c, by, timings);
}

}  // namespace tridia_bench
