// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// This is the version of these headers: CMakeLists.txt reads it here, and it is written nowhere
// else. `tridia::version()` returns the version of the library that is linked.
#define TRIDIA_VERSION_MAJOR 0
#define TRIDIA_VERSION_MINOR 2
#define TRIDIA_VERSION_PATCH 0
