// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tridia::cli {

/// Names the one file that is removed if a signal ends the process (SIGINT, SIGTERM, SIGHUP, or
/// SIGBUS, which a map raises when its file shrinks or its disk fails). Returns false if the
/// path is too long to be kept.
bool remove_on_signal(const std::string& path);

/// The file has its final name, or is gone already.
void keep_on_signal();

}  // namespace tridia::cli
