// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The version of these headers: CMakeLists.txt reads it here, and it stands nowhere else.
// `tridia::version()` is that of the library which is linked.
#define TRIDIA_VERSION_MAJOR 0
#define TRIDIA_VERSION_MINOR 2
#define TRIDIA_VERSION_PATCH 0
