// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// This file has a user's calls of all templates of the interface; it names few of the members of
// its structs.
#include <tridia/tridia.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

/// Holds two systems of three rows, -x[i-1] + 4 x[i] - x[i+1]; the right-hand sides of 1, 2, 3 and
/// 1, 1, 1.
template <class T>
struct systems {
  std::vector<T> off = std::vector<T>(6, T(-1)), d = std::vector<T>(6, T(4));
  std::vector<T> rhs{T(2), T(4), T(10), T(3), T(2), T(3)}, x = std::vector<T>(6);

  bool solved() {
    const T expected[] = {T(1), T(2), T(3), T(1), T(1), T(1)};
    bool good = true;
    for (int k = 0; k < 6; ++k) good = good && std::abs(x[k] - expected[k]) < 1e-5;
    x.assign(6, T(0));
    return good;
  }
};

template <class T>
bool all_forms() {
  systems<T> s;
  tridia::solve(3, 2, s.off.data(), s.d.data(), s.off.data(), s.rhs.data(), s.x.data(),
                {.threads = 1});
  bool good = s.solved();

  const tridia::view<const T, 1> off(s.off.data(), {2}), d(s.d.data(), {3});
  const tridia::view<const T, 2> rhs(s.rhs.data(), {3, 2}, {1, 3});
  tridia::solve(off, d, off, rhs, tridia::view<T, 2>(s.x.data(), {3, 2}, {1, 3}), {.axis = 0});
  good = good && s.solved();

  const tridia::problem problem{.type = tridia::value_type_of<T>, .extents = {2, 3}};
  tridia::solve(problem, s.off.data(), s.d.data(), s.off.data(), s.rhs.data(), s.x.data());
  good = good && s.solved();

  const tridia::plan plan(problem, {.backend = tridia::backend::cpu});
  std::vector<char> workspace(plan.workspace_bytes());
  plan.execute(s.off.data(), s.d.data(), s.off.data(), s.rhs.data(), s.x.data(),
               {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
  return good && s.solved();
}

/// Checks that the headers and the library are of one version, and that a call's options reach its
/// plan.
bool of_one_piece() {
  char version[32];
  std::snprintf(version, sizeof version, "%d.%d.%d", TRIDIA_VERSION_MAJOR, TRIDIA_VERSION_MINOR,
                TRIDIA_VERSION_PATCH);
  const auto table = std::make_shared<const tridia::tuning_table>();
  const tridia::solve_options all{.threads = 3, .device = 1, .tuning = table};
  const tridia::options o = all.for_plan();
  return tridia::version() == version && o.threads == 3 && o.device == 1 && o.tuning == table;
}

bool refuses() {
  try {
    const tridia::plan plan({.extents = {2, 3}, .axis = 2});
  } catch (const tridia::error& e) {
    return e.code() == tridia::errc::invalid_argument;
  }
  return false;
}

}  // namespace

int main() {
  const bool good = all_forms<float>() && all_forms<double>() && all_forms<std::complex<float>>() &&
                    all_forms<std::complex<double>>() && refuses() && of_one_piece() &&
                    tridia::parse<tridia::backend>("cuda") == tridia::backend::cuda &&
                    tridia::names<tridia::algorithm>().size() > 1 &&
                    !tridia::query_system().simd.empty();
  if (!good) std::puts("the interface does not do what it says");
  return good ? 0 : 1;
}
