// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

#include <memory>

// The papers' algorithms on the reference backend: the steps of src/core that a block of a GPU does
// with many threads are done here by one. A maker returns the executor of a task.
namespace tridia::solver::named {

std::unique_ptr<const executor> make_cr(const task&);
std::unique_ptr<const executor> make_crnbc(const task&);
std::unique_ptr<const executor> make_pcr(const task&);
std::unique_ptr<const executor> make_cr_pcr(const task&);
std::unique_ptr<const executor> make_pcr_thomas(const task&);
std::unique_ptr<const executor> make_packed_cr(const task&);
std::unique_ptr<const executor> make_hierarchical(const task&);
std::unique_ptr<const executor> make_neato(const task&);

/// Makes the executor of the task's algorithm; null if it is none of these.
std::unique_ptr<const executor> make_named(const task&);

}  // namespace tridia::solver::named
