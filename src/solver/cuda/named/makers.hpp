// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace tridia::solver {
struct task;
}

namespace tridia::gpu {

struct device_limits;

}  // namespace tridia::gpu

namespace tridia::cuda {

class method;

/// Makes the method of an algorithm for the current device. Throws `unsupported` if systems do not
/// fit it. Returns null where the kernels with one thread per system do the work.
using maker = std::unique_ptr<const method> (*)(const solver::task&, const gpu::device_limits&);

// Each maker is in the file of its name. `algorithm` in include/tridia/types.hpp describes the
// algorithms.
std::unique_ptr<const method> make_cr(const solver::task&, const gpu::device_limits&);
std::unique_ptr<const method> make_crnbc(const solver::task&, const gpu::device_limits&);
std::unique_ptr<const method> make_pcr(const solver::task&, const gpu::device_limits&);
std::unique_ptr<const method> make_cr_pcr(const solver::task&, const gpu::device_limits&);
std::unique_ptr<const method> make_pcr_thomas(const solver::task&, const gpu::device_limits&);
std::unique_ptr<const method> make_packed_cr(const solver::task&, const gpu::device_limits&);
std::unique_ptr<const method> make_hierarchical(const solver::task&, const gpu::device_limits&);
std::unique_ptr<const method> make_neato(const solver::task&, const gpu::device_limits&);
std::unique_ptr<const method> make_thomas_batch(const solver::task&, const gpu::device_limits&);

}  // namespace tridia::cuda
