// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/backend.hpp"
#include "distributed/box.hpp"

// These functions work on lines in the memory of the current device.
namespace tridia::distributed {

std::unique_ptr<interface_systems> make_device_interface(strategy, const interface_task&,
                                                         transport&);
std::unique_ptr<status_exchange> make_device_status_exchange(const line_of_ranks&, index_t lines,
                                                             const line_place&, transport&);
std::unique_ptr<line_sums> make_device_sums(const sums_task&, transport&);
std::unique_ptr<gathered_faces> make_device_faces(const faces_task&, transport&);
std::unique_ptr<local_rows> make_device_local_rows(const local_rows_task&);
/// Makes what solves lines in one pass, or returns null, on all ranks alike, where that cannot be:
/// where kernels do not reach other ranks' memory, or blocks cannot hold a rank's rows of a line.
/// All ranks call it together.
std::unique_ptr<fused_lines> make_device_fused_lines(const local_rows_task&, const interface_task&,
                                                     transport&);
std::unique_ptr<neighbour_coefficients> make_device_neighbour_coefficients(const local_rows_task&,
                                                                           const line_of_ranks&,
                                                                           transport&);
void copy_on_device(const box_copy&, std::size_t size, void* stream);

}  // namespace tridia::distributed
