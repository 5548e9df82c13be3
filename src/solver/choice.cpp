// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/choice.hpp"

namespace tridia::solver {

choice choose(const problem& p, const options& o) {
  const bool pivots = p.pivoting == pivoting::partial;
  switch (o.algorithm) {
    case algorithm::automatic:
      return pivots ? choice{algorithm::lu, "partial pivoting is asked for"}
                    : choice{algorithm::thomas, "no pivoting: the fewest operations a row"};
    case algorithm::thomas:
      if (pivots) {
        throw error(errc::unsupported,
                    "algorithm: thomas does not pivot, but the problem asks for pivoting partial: "
                    "ask for pivoting none, or for the algorithm lu");
      }
      return {algorithm::thomas, "asked for"};
    case algorithm::lu:
      return {algorithm::lu, pivots ? "asked for" : "asked for, though no pivoting would do"};
  }
  throw error(
      errc::invalid_argument,
      "algorithm: " + std::to_string(static_cast<int>(o.algorithm)) + " is not an algorithm");
}

pivoting pivoting_of(algorithm a) {
  return a == algorithm::thomas ? pivoting::none : pivoting::partial;
}

}  // namespace tridia::solver
