! Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
! A module for each kind of numbers has the same tests.
#define number real(real32)
#define kind_number tridia_f32
#define tests solve_f32
#include "solve_module.inc"
#undef number
#undef kind_number
#undef tests
#define number real(real64)
#define kind_number tridia_f64
#define tests solve_f64
#include "solve_module.inc"
#undef number
#undef kind_number
#undef tests
#define number complex(real32)
#define kind_number tridia_c64
#define tests solve_c64
#include "solve_module.inc"
#undef number
#undef kind_number
#undef tests
#define number complex(real64)
#define kind_number tridia_c128
#define tests solve_c128
#include "solve_module.inc"

program solve_test
  use checks
  use differential_calls, only: test_differential_calls
  use differential_refusals, only: test_differential_refusals
  use refusals
  use solve_f32, only: differentials_f32 => test_differentials, test_f32 => test_ranks
  use solve_f64, only: differentials_f64 => test_differentials, test_f64 => test_ranks
  use solve_c64, only: differentials_c64 => test_differentials, test_c64 => test_ranks
  use solve_c128, only: differentials_c128 => test_differentials, test_c128 => test_ranks
  implicit none
  call test_f32()
  call differentials_f32()
  call test_f64()
  call differentials_f64()
  call test_c64()
  call differentials_c64()
  call test_c128()
  call differentials_c128()
  call test_refusals()
  call test_differential_calls()
  call test_differential_refusals()
  print '(i0, a, i0, a)', checked, ' checks, ', wrong, ' wrong'
  if (wrong > 0) error stop 1
end program
