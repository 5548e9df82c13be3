// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/executor.hpp"
#include "solver/reference/named/makers.hpp"
#include "solver/scalar_executor.hpp"

// The reference backend solves one system after another, a scalar at a time. The other backends are
// tested against it.
namespace tridia::solver {
namespace {

class one_after_another final : public system_loop {
 public:
  int threads() const override { return 1; }
  std::string description() const override { return {}; }
  void for_each(index_t count, const std::function<void(index_t, int)>& f) const override {
    for (index_t i = 0; i < count; ++i) f(i, 0);
  }
};

}  // namespace

std::unique_ptr<const executor> make_reference(const task& t) {
  if (auto of_paper = named::make_named(t)) return of_paper;
  return make_scalar_executor(t, std::make_unique<one_after_another>());
}

}  // namespace tridia::solver
