// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "papers.hpp"

#include "../cuda/solvers.hpp"
#include "../cuda/transformation.hpp"

namespace tridia_bench {
namespace {

using tridia::algorithm;
using tridia::pivoting;
using tridia::transformation;
using tridia::value_type;

constexpr value_type kReal[] = {value_type::f64, value_type::f32};

solver_choice thomas(transformation t) { return {algorithm::thomas, {.transformation = t}}; }

/// Adds systems that lie one after another: the library interleaves them, or not.
void add_contiguous(suite& s, const systems_spec& spec) {
  add_tridia(s, spec, pivoting::none);
  for (const auto t : {transformation::none, transformation::full, transformation::blocks}) {
    add_tridia(s, spec, pivoting::none, thomas(t));
  }
  add_transformation(s, spec, transformation::full);
  add_cusparse(s, spec, cusparse_method::strided);
}

/// Adds systems that their owner has interleaved.
void add_interleaved(suite& s, systems_spec spec) {
  spec.layout = layout::interleaved;
  add_tridia(s, spec, pivoting::none);
  add_tridia(s, spec, pivoting::none, thomas(transformation::none));
  add_cusparse(s, spec, cusparse_method::interleaved_0);
}

/// Adds a variable batch that its owner holds interleaved, which goes in as it is (cuThomasVBatch).
void add_variable_input(suite& s, systems_spec spec) {
  for (const auto layout : {tridia::ragged_layout::padded, tridia::ragged_layout::packed}) {
    spec.ragged_layout = layout;
    add_tridia(s, spec, pivoting::none);
    add_tridia(s, spec, pivoting::none, thomas(transformation::none));
  }
}

void add_variable(suite& s) {
  constexpr index_t shortest = 64, longest = 1024;
  for (const value_type type : kReal) {
    for (const index_t batch : {index_t{1} << 10, index_t{1} << 14, index_t{1} << 17}) {
      const systems_spec spec{
          .type = type, .n = longest, .batch = batch, .shortest = shortest, .seed = s.options.seed};
      add_tridia(s, spec, pivoting::none);
      for (const auto t : {transformation::none, transformation::full, transformation::packed}) {
        add_tridia(s, spec, pivoting::none, thomas(t));
        if (t != transformation::none) add_transformation(s, spec, t);
      }
      add_variable_input(s, spec);
    }
  }
}

}  // namespace

void add_cuthomas(suite& s) {
  for (const value_type type : kReal) {
    for (const index_t n : {64, 128, 256, 512, 1024}) {
      for (int log_batch = 5; log_batch <= 18; ++log_batch) {
        const systems_spec spec{
            .type = type, .n = n, .batch = index_t{1} << log_batch, .seed = s.options.seed};
        add_contiguous(s, spec);
        add_interleaved(s, spec);
      }
    }
  }
  add_variable(s);
}

}  // namespace tridia_bench
