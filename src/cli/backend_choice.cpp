// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "backend_choice.hpp"

#include "failure.hpp"
#ifdef TRIDIA_HAS_CUDA
#include "device.hpp"
#endif

#include "tridia/info.hpp"

namespace tridia::cli {

void require_backend(backend where) {
  if (where != backend::cuda) return;
  const system_info machine = query_system();
  if (!machine.cuda_built) {
    throw bad_input("--device",
                    "cuda is asked for, but this tridia was built without it: build "
                    "with nvcc on the PATH, or use --device cpu");
  }
  if (!machine.cuda_devices.empty()) return;
#ifdef TRIDIA_HAS_CUDA
  check_start();
#endif
  throw bad_input("--device", "cuda is asked for, but no GPU is visible here: use --device cpu");
}

}  // namespace tridia::cli
