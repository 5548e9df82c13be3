// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/registry.hpp"

#include <algorithm>
#include <array>

#if defined(TRIDIA_HAS_CUDA)
#define TRIDIA_MAKER(name) &cuda::name
#else
#define TRIDIA_MAKER(name) nullptr
#endif

namespace tridia::solver {
namespace {

// The entries stand in the order of the enumerators.
constexpr algorithm_entry registry[] = {
    {.algorithm = algorithm::thomas,
     .name = "thomas",
     .every_problem = true,
     .factors = true,
     .transformation = true,
     .make = TRIDIA_MAKER(make_thomas_batch)},
    {.algorithm = algorithm::lu,
     .name = "lu",
     .pivots = true,
     .every_problem = true,
     .factors = true},
    {.algorithm = algorithm::partition,
     .name = "partition",
     .backends = availability::cpu_and_cuda,
     .pivots = true,
     .every_problem = true,
     .factors = true},
    {.algorithm = algorithm::cr,
     .name = "cr",
     .backends = availability::reference_and_cuda,
     .make = TRIDIA_MAKER(make_cr)},
    {.algorithm = algorithm::crnbc,
     .name = "crnbc",
     .backends = availability::reference_and_cuda,
     .switch_point = true,
     .make = TRIDIA_MAKER(make_crnbc)},
    {.algorithm = algorithm::pcr,
     .name = "pcr",
     .backends = availability::reference_and_cuda,
     .make = TRIDIA_MAKER(make_pcr)},
    {.algorithm = algorithm::cr_pcr,
     .name = "cr_pcr",
     .backends = availability::reference_and_cuda,
     .switch_point = true,
     .make = TRIDIA_MAKER(make_cr_pcr)},
    {.algorithm = algorithm::pcr_thomas,
     .name = "pcr_thomas",
     .backends = availability::reference_and_cuda,
     .switch_point = true,
     .make = TRIDIA_MAKER(make_pcr_thomas)},
    {.algorithm = algorithm::packed_cr,
     .name = "packed_cr",
     .backends = availability::reference_and_cuda,
     .packing_depth = true,
     .make = TRIDIA_MAKER(make_packed_cr)},
    {.algorithm = algorithm::hierarchical,
     .name = "hierarchical",
     .backends = availability::reference_and_cuda,
     .switch_point = true,
     .make = TRIDIA_MAKER(make_hierarchical)},
    {.algorithm = algorithm::neato,
     .name = "neato",
     .backends = availability::reference_and_cuda,
     .constant_only = true,
     .memory = true,
     .make = TRIDIA_MAKER(make_neato)},
};

constexpr auto names_of_all = [] {
  std::array<std::string_view, std::size(registry) + 1> names{"automatic"};
  std::transform(std::begin(registry), std::end(registry), names.begin() + 1,
                 [](const algorithm_entry& e) { return e.name; });
  return names;
}();

constexpr bool is_in_order() {
  for (std::size_t k = 0; k < std::size(registry); ++k) {
    if (static_cast<std::size_t>(registry[k].algorithm) != k + 1) return false;
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

const algorithm_entry* find_algorithm(algorithm a) {
  const auto* const at = std::find_if(std::begin(registry), std::end(registry),
                                      [a](const algorithm_entry& e) { return e.algorithm == a; });
  return at == std::end(registry) ? nullptr : at;
}

std::span<const std::string_view> algorithm_names() noexcept { return names_of_all; }

}  // namespace tridia::solver
