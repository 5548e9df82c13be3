// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests convert enumerators to their names and back.
#include "tridia/compact.hpp"
#include "tridia/scheme.hpp"
#include "tridia/types.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tridia_test {
namespace {

template <class E>
struct named {
  E value;
  std::string_view name;
};

/// Checks that there are these names and no others: they are part of the interface (files and
/// command lines hold them).
template <class E>
void expect_names(const std::vector<named<E>>& all) {
  ASSERT_EQ(tridia::names<E>().size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_EQ(name(all[k].value), all[k].name);
    EXPECT_EQ(tridia::names<E>()[k], all[k].name);
    EXPECT_EQ(tridia::parse<E>(all[k].name), all[k].value) << all[k].name;
  }
  EXPECT_EQ(name(static_cast<E>(all.size())), "invalid");
  EXPECT_EQ(name(static_cast<E>(-1)), "invalid");

  const std::string first(all[0].name);
  for (const std::string& text : {std::string(), std::string("invalid"), first + " ", ' ' + first,
                                  first.substr(1), first.substr(0, first.size() - 1), first + '\0',
                                  char(first[0] - 'a' + 'A') + first.substr(1)}) {
    EXPECT_EQ(tridia::parse<E>(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(Names, BothWays) {
  using namespace tridia;
  expect_names<value_type>({{value_type::f32, "f32"},
                            {value_type::f64, "f64"},
                            {value_type::c64, "c64"},
                            {value_type::c128, "c128"}});
  expect_names<boundary>({{boundary::regular, "regular"}, {boundary::periodic, "periodic"}});
  expect_names<pivoting>({{pivoting::partial, "partial"}, {pivoting::none, "none"}});
  expect_names<operation>({{operation::none, "none"},
                           {operation::transpose, "transpose"},
                           {operation::conjugate_transpose, "conjugate_transpose"}});
  expect_names<coefficients>({{coefficients::per_system, "per_system"},
                              {coefficients::shared, "shared"},
                              {coefficients::constant, "constant"}});
  expect_names<backend>(
      {{backend::cpu, "cpu"}, {backend::cuda, "cuda"}, {backend::reference, "reference"}});
  expect_names<algorithm>({{algorithm::automatic, "automatic"},
                           {algorithm::thomas, "thomas"},
                           {algorithm::lu, "lu"},
                           {algorithm::partition, "partition"},
                           {algorithm::cr, "cr"},
                           {algorithm::crnbc, "crnbc"},
                           {algorithm::pcr, "pcr"},
                           {algorithm::cr_pcr, "cr_pcr"},
                           {algorithm::pcr_thomas, "pcr_thomas"},
                           {algorithm::packed_cr, "packed_cr"},
                           {algorithm::hierarchical, "hierarchical"},
                           {algorithm::neato, "neato"}});
  expect_names<transformation>({{transformation::none, "none"},
                                {transformation::full, "full"},
                                {transformation::blocks, "blocks"},
                                {transformation::packed, "packed"}});
  expect_names<neato_memory>({{neato_memory::automatic, "automatic"},
                              {neato_memory::shared, "shared"},
                              {neato_memory::global, "global"}});
  expect_names<quantity>({{quantity::first_derivative, "first_derivative"},
                          {quantity::second_derivative, "second_derivative"},
                          {quantity::third_derivative, "third_derivative"},
                          {quantity::fourth_derivative, "fourth_derivative"},
                          {quantity::interpolation, "interpolation"},
                          {quantity::filter, "filter"}});
  expect_names<staggering>({{staggering::none, "none"},
                            {staggering::to_midpoints, "to_midpoints"},
                            {staggering::to_points, "to_points"}});
  expect_names<end_condition>({{end_condition::closure, "closure"},
                               {end_condition::symmetric, "symmetric"},
                               {end_condition::antisymmetric, "antisymmetric"},
                               {end_condition::symmetric_half, "symmetric_half"},
                               {end_condition::antisymmetric_half, "antisymmetric_half"}});
}

// Another enumeration's names are unknown.
TEST(Names, OfAnotherEnumeration) {
  EXPECT_EQ(tridia::parse<tridia::pivoting>("thomas"), std::nullopt);
  EXPECT_EQ(tridia::parse<tridia::boundary>("none"), std::nullopt);
}

}  // namespace
}  // namespace tridia_test
