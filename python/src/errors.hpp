// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tridia::python {

/// Returns a sentence of the library with the name that its argument has in Python.
std::string python_sentence(const std::string& sentence);

}  // namespace tridia::python
