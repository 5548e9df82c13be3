// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/cuda/lines.hpp"

#include "distributed/cuda/device_execution_space.cuh"
#include "distributed/line_operator/gathered_faces_in.hpp"
#include "distributed/line_operator/line_sums_in.hpp"
#include "distributed/strategies/make.hpp"
#include "distributed/subdomain/neighbour_coefficients_in.hpp"
#include "distributed/subdomain/status_exchange_in.hpp"

namespace tridia::distributed {

std::unique_ptr<interface_systems> make_device_interface(strategy s, const interface_task& t,
                                                         transport& by) {
  return make_interface_in<device_execution_space>(s, t, by);
}

std::unique_ptr<status_exchange> make_device_status_exchange(const line_of_ranks& line,
                                                             index_t lines, const line_place& at,
                                                             transport& by) {
  return std::make_unique<status_exchange_in<device_execution_space>>(line, lines, at, 1, by);
}

std::unique_ptr<line_sums> make_device_sums(const sums_task& t, transport& by) {
  return make_line_sums_in<device_execution_space>(t, by);
}

std::unique_ptr<gathered_faces> make_device_faces(const faces_task& t, transport& by) {
  auto made = make_gathered_faces_in<device_execution_space>(t, by);
  // The reduced matrix is factored in the default stream, and executions come in any.
  gpu::check(cudaStreamSynchronize(nullptr), "factoring reduced systems");
  return made;
}

std::unique_ptr<neighbour_coefficients> make_device_neighbour_coefficients(
    const local_rows_task& t, const line_of_ranks& line, transport& by) {
  return make_neighbour_coefficients_in<device_execution_space>(t, line, by);
}

void copy_on_device(const box_copy& c, std::size_t size, void* stream) {
  copy_box(device_execution_space(1, stream), c, size);
}

}  // namespace tridia::distributed
