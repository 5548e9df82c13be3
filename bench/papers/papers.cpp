// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "papers.hpp"

#include <stdexcept>

namespace tridia_bench {

const std::vector<std::string>& experiments() {
  static const std::vector<std::string> names{"hybrid", "cuthomas", "packing", "neato"};
  return names;
}

void add_experiment(suite& s, const std::string& name, const std::vector<gtsv_peer>& peers) {
  if (name == "hybrid") return add_hybrid(s, peers);
  if (name == "cuthomas") return add_cuthomas(s);
  if (name == "packing") return add_packing(s);
  if (name == "neato") return add_neato(s, peers);
  std::string known;
  for (const std::string& e : experiments()) known += (known.empty() ? "" : ", ") + e;
  throw std::runtime_error("reproduce: \"" + name + "\" is not an experiment; there are " + known);
}

}  // namespace tridia_bench
