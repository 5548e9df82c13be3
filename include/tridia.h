/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_H
#define TRIDIA_H

/* This is the C interface (C99) of tridia, which solves many tridiagonal systems and applies
 * compact schemes. docs/c.md introduces it; the C++ headers beside it say more about each notion.
 *
 * Every function that can fail returns a `tridia_result`, which is 0 where it succeeded; the
 * sentence that says what is wrong is `tridia_last_error()`. A call that fails writes none of its
 * results. Handles (`tridia_plan*` and the like) are opaque. One that was destroyed, or is none, is
 * refused. A null handle may be destroyed. Text that is returned by its address lives as long as
 * the object; text that is copied goes to `text`, which has room for `size` bytes, with a zero at
 * its end, and `needed` (which may be null) is set to the bytes that it takes with that zero:
 * `text` may be null where `size` is 0. */
#include "tridia/c/differential.h"
#include "tridia/c/operator.h"
#include "tridia/c/plan.h"
#include "tridia/c/scheme.h"
#include "tridia/c/system.h"
#include "tridia/c/tuning.h"
#include "tridia/c/types.h"
#include "tridia/version.hpp"

#endif
