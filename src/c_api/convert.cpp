// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/convert.hpp"

#include <cstring>

namespace tridia::c_api {
namespace {

static_assert(sizeof(tridia_matrix_row) == sizeof(near_toeplitz::row));

/// Returns a row; std::complex is laid out as an array of two numbers.
near_toeplitz::row as_cpp(const tridia_matrix_row& r) {
  return {{r.dl[0], r.dl[1]}, {r.d[0], r.d[1]}, {r.du[0], r.du[1]}};
}

std::vector<near_toeplitz::row> rows_of(const tridia_matrix_row* rows, std::int64_t count,
                                        const char* name, const char* count_name) {
  check_array(rows, count, name, count_name);
  std::vector<near_toeplitz::row> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) all.push_back(as_cpp(rows[k]));
  return all;
}

const tridia_matrix_row* rows_address(const std::vector<near_toeplitz::row>& rows) {
  return rows.empty() ? nullptr : reinterpret_cast<const tridia_matrix_row*>(rows.data());
}

}  // namespace

void check_rank(int rank) {
  if (rank >= 0 && rank <= TRIDIA_MAX_RANK) return;
  refuse("rank: " + std::to_string(rank) + " is not from 1 to " + std::to_string(TRIDIA_MAX_RANK));
}

std::vector<index_t> for_each_axis(const index_t* array, int rank) {
  return array == nullptr ? std::vector<index_t>{} : std::vector<index_t>(array, array + rank);
}

problem as_cpp(const tridia_problem* p) {
  check_struct(p, "problem");
  check_rank(p->rank);
  problem q;
  q.type = enumerator<value_type>(p->type, "type");
  q.extents = copied(p->extents, p->rank, "extents", "rank");
  q.axis = p->axis;
  q.right_hand_sides = p->right_hand_sides;
  q.boundary = enumerator<boundary>(p->boundary, "boundary");
  q.pivoting = enumerator<pivoting>(p->pivoting, "pivoting");
  q.operation = enumerator<operation>(p->operation, "operation");
  q.coefficients = enumerator<coefficients>(p->coefficients, "coefficients");
  q.short_off_diagonals = p->short_off_diagonals != 0;
  q.dl_strides = for_each_axis(p->dl_strides, p->rank);
  q.d_strides = for_each_axis(p->d_strides, p->rank);
  q.du_strides = for_each_axis(p->du_strides, p->rank);
  q.rhs_strides = for_each_axis(p->rhs_strides, p->rank);
  q.x_strides = for_each_axis(p->x_strides, p->rank);
  q.rhs_step = p->rhs_step;
  q.x_step = p->x_step;
  q.offsets = copied(p->offsets, p->offset_count, "offsets", "offset_count");
  q.ragged_layout = enumerator<ragged_layout>(p->ragged_layout, "ragged_layout");
  q.matrix.interior = as_cpp(p->interior);
  q.matrix.head = rows_of(p->head, p->head_count, "head", "head_count");
  q.matrix.tail = rows_of(p->tail, p->tail_count, "tail", "tail_count");
  return q;
}

tridia_problem as_c(const problem& p) {
  tridia_problem q = TRIDIA_PROBLEM_INIT;
  q.type = static_cast<int>(p.type);
  q.rank = static_cast<int>(p.extents.size());
  q.extents = address_of(p.extents);
  q.axis = p.axis;
  q.boundary = static_cast<int>(p.boundary);
  q.right_hand_sides = p.right_hand_sides;
  q.pivoting = static_cast<int>(p.pivoting);
  q.operation = static_cast<int>(p.operation);
  q.coefficients = static_cast<int>(p.coefficients);
  q.short_off_diagonals = p.short_off_diagonals ? 1 : 0;
  q.dl_strides = address_of(p.dl_strides);
  q.d_strides = address_of(p.d_strides);
  q.du_strides = address_of(p.du_strides);
  q.rhs_strides = address_of(p.rhs_strides);
  q.x_strides = address_of(p.x_strides);
  q.rhs_step = p.rhs_step;
  q.x_step = p.x_step;
  q.offsets = address_of(p.offsets);
  q.offset_count = static_cast<std::int64_t>(p.offsets.size());
  q.ragged_layout = static_cast<int>(p.ragged_layout);
  std::memcpy(&q.interior, &p.matrix.interior, sizeof q.interior);
  q.head = rows_address(p.matrix.head);
  q.head_count = static_cast<std::int64_t>(p.matrix.head.size());
  q.tail = rows_address(p.matrix.tail);
  q.tail_count = static_cast<std::int64_t>(p.matrix.tail.size());
  return q;
}

grid as_cpp(const tridia_grid* g) {
  check_struct(g, "grid");
  check_rank(g->rank);
  if (g->reserved != 0) refuse("reserved: " + std::to_string(g->reserved) + " is not 0");
  grid q;
  q.type = enumerator<value_type>(g->type, "type");
  q.extents = copied(g->extents, g->rank, "extents", "rank");
  q.axis = g->axis;
  q.spacing = g->spacing;
  q.boundary = enumerator<boundary>(g->boundary, "boundary");
  q.head = enumerator<end_condition>(g->head, "head");
  q.tail = enumerator<end_condition>(g->tail, "tail");
  q.metric = copied(g->metric, g->metric_count, "metric", "metric_count");
  q.operation = enumerator<operation>(g->operation, "operation");
  q.fields = g->fields;
  q.in_strides = for_each_axis(g->in_strides, g->rank);
  q.out_strides = for_each_axis(g->out_strides, g->rank);
  q.in_step = g->in_step;
  q.out_step = g->out_step;
  return q;
}

tridia_grid as_c(const grid& g) {
  tridia_grid q = TRIDIA_GRID_INIT;
  q.type = static_cast<int>(g.type);
  q.rank = static_cast<int>(g.extents.size());
  q.extents = address_of(g.extents);
  q.axis = g.axis;
  q.boundary = static_cast<int>(g.boundary);
  q.spacing = g.spacing;
  q.head = static_cast<int>(g.head);
  q.tail = static_cast<int>(g.tail);
  q.metric = address_of(g.metric);
  q.metric_count = static_cast<std::int64_t>(g.metric.size());
  q.fields = g.fields;
  q.operation = static_cast<int>(g.operation);
  q.in_strides = address_of(g.in_strides);
  q.out_strides = address_of(g.out_strides);
  q.in_step = g.in_step;
  q.out_step = g.out_step;
  return q;
}

options as_cpp(const tridia_options* o) {
  options q;
  if (o == nullptr) return q;
  check_struct(o, "options");
  q.backend = enumerator<backend>(o->backend, "backend");
  q.algorithm = enumerator<algorithm>(o->algorithm, "algorithm");
  q.threads = o->threads;
  q.device = o->device;
  if (o->tuning != nullptr) q.tuning = tuning_of(o->tuning);
  q.parameters = {o->switch_point, o->packing_depth,
                  enumerator<transformation>(o->transformation, "transformation"),
                  enumerator<neato_memory>(o->neato_memory, "neato_memory")};
  return q;
}

execution as_cpp(const tridia_execution* e) {
  if (e == nullptr) return {};
  check_struct(e, "execution");
  return {e->workspace, e->workspace_bytes, e->status, e->stream};
}

}  // namespace tridia::c_api
