// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/line_operator/gathered_faces.hpp"

namespace tridia::distributed {

faces_task faces_of(value_type type, const line_of_ranks& line, const specification& whole,
                    const line_cuts& cuts, double tolerance) {
  faces_task t{};
  t.type = type;
  t.line = line;
  t.sides = sides_of(whole, cuts, line.here);
  t.reduced = reduce_parts(whole, cuts);
  t.secondary = secondary_solutions(whole, cuts, line.here);
  for (line_weights& column : t.secondary) leave_out(column, least_weight(type, tolerance));
  t.rows = cuts.rows[line.here + 1] - cuts.rows[line.here];
  return t;
}

}  // namespace tridia::distributed
