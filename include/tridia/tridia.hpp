// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/backward.hpp"
#include "tridia/compact.hpp"
#include "tridia/differential.hpp"
#include "tridia/distributed.hpp"
#include "tridia/error.hpp"
#include "tridia/info.hpp"
#include "tridia/near_toeplitz.hpp"
#include "tridia/plan.hpp"
#include "tridia/problem.hpp"
#include "tridia/scheme.hpp"
#include "tridia/solve.hpp"
#include "tridia/tuning.hpp"
#include "tridia/types.hpp"
#include "tridia/version.hpp"
#include "tridia/view.hpp"
