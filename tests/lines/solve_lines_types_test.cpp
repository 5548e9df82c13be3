// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "lines/lines_case.hpp"

namespace tridia_test {
namespace {

template <class T, int Axis, boundary B, pivoting P, int Sides>
void solves(const char* name) {
  rng random = random_for(name);
  for (const std::array<int, 3>& size :
       {std::array{3, 2, 41}, std::array{17, 5, 23}, std::array{6, 33, 2}}) {
    lines_case<T, Axis, B, P, Sides> c(random, size);
    c.solve();
    EXPECT_EQ(c.check(1), "") << size[0] << " x " << size[1] << " x " << size[2];
  }
  std::array<int, 3> size{2, 2, 2};
  size[Axis] = 2600, size[Axis == 0 ? 2 : 0] = 7;
  lines_case<T, Axis, B, P, Sides> c(random, size);
  c.solve();
  EXPECT_EQ(c.check(2), "") << "long lines";
}

using tridia::complex;

TEST(SolveLinesTypes, F32) { solves<float, 1, boundary::periodic, pivoting::partial, 2>("f32"); }
TEST(SolveLinesTypes, C64) {
  solves<complex<float>, 0, boundary::regular, pivoting::partial, 1>("c64");
}
TEST(SolveLinesTypes, C128) {
  solves<complex<double>, 2, boundary::periodic, pivoting::none, 2>("c128");
}

}  // namespace
}  // namespace tridia_test
