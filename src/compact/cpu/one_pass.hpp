// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/operator_executor.hpp"
#include "line_operator/cpu/whole_lines.hpp"

#include <memory>

namespace tridia::compact::cpu {

using line_operator::cpu::slab_use;

/// Makes an executor of whole lines for an operator or, gathering its results, for an adjoint.
std::unique_ptr<const operator_executor> make_one_pass(const task&, const slab_use&);
/// Returns whether that is how an operator or an adjoint is done.
bool takes_one_pass(const task&);

}  // namespace tridia::compact::cpu
