// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

namespace tridia::distributed {

/// Holds what a strategy costs the busiest rank of a line, for all lines together
/// (docs/scaling.md).
struct traffic {
  double rounds;    // messages that wait for each other
  double messages;  // sent and received
  double bytes;     // the larger of those sent and those received
  double joins;     // of chunks, there and back
};

/// Holds the number of values of a line's equations and of its ends, of `bytes` each.
struct interface_size {
  double equations, unknowns, bytes;
};

traffic traffic_of(strategy, int ranks, double lines, const interface_size&);

/// Describes a network and the processors that it connects.
struct network {
  double round_seconds, message_seconds, bytes_per_second, joins_per_second;
  double memory_bytes_per_second;  // of a processor
};
/// These are no measured values: they are of the order of a cluster's with one rank per socket.
inline constexpr network cluster_of_cpus{3e-6, 5e-7, 8e9, 5e8, 1e11};
/// These values are of the order of GPUs of one host and NCCL, as seen on H200s.
inline constexpr network host_of_gpus{1.5e-5, 1e-6, 2e11, 2e10, 4e12};

double seconds(const traffic&, const network&);

/// Returns whether lines of which ranks have up to `rows` rows each are solved sooner in one pass
/// (subdomain/fused_lines.hpp), where all ranks get all equations of a line, than in two, which
/// read the rows once more, and by a strategy.
bool one_pass_pays(strategy, int ranks, double lines, double rows, const interface_size&,
                   const network&);

struct strategy_choice {
  distributed::strategy strategy;
  std::string reason;
};

/// Throws `error` for a strategy that cannot be asked for where the matrix is known when a plan is
/// made: invalid_argument if it is none, unsupported for others than `automatic` and `gather`.
void check_known_matrix(strategy);

/// Returns the strategy that `automatic` becomes for lines of `ranks` ranks, or the strategy that
/// was asked for. Throws if that strategy cannot be used.
strategy_choice choose_strategy(const plan_options&, pivoting, int ranks, double lines,
                                const interface_size&, const network&);

}  // namespace tridia::distributed
