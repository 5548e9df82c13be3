// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tridia::cli {

/// Draws the modified wavenumbers of a report of `tridia scheme` into a PNG file, by Python and
/// matplotlib. Throws `failure` about --plot.
void plot_wavenumbers(const nlohmann::ordered_json& report, const std::string& path);

}  // namespace tridia::cli
