// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/cuda/lines.hpp"

#include "distributed/cuda/device_space.cuh"
#include "distributed/line_operator/line_sums_in.hpp"
#include "distributed/parts/borders_in.hpp"
#include "distributed/parts/verdicts_in.hpp"
#include "distributed/strategies/make.hpp"

namespace tridia::distributed {

std::unique_ptr<interface_systems> make_device_interface(strategy s, const interface_task& t,
                                                         transport& by) {
  return make_interface_in<device_space>(s, t, by);
}

std::unique_ptr<verdicts> make_device_verdicts(const line_of_ranks& line, index_t lines,
                                               const line_place& at, transport& by) {
  return std::make_unique<verdicts_in<device_space>>(line, lines, at, 1, by);
}

std::unique_ptr<line_sums> make_device_sums(const sums_task& t, transport& by) {
  return make_line_sums_in<device_space>(t, by);
}

std::unique_ptr<border_entries> make_device_borders(const part_task& t, const line_of_ranks& line,
                                                    transport& by) {
  return make_borders_in<device_space>(t, line, by);
}

void copy_on_device(const box_copy& c, std::size_t size, void* stream) {
  copy_box(device_space(1, stream), c, size);
}

}  // namespace tridia::distributed
