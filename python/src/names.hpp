// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "array.hpp"
#include "tridia/types.hpp"

#include <string>
#include <string_view>

namespace tridia::python {

/// Returns the enumerator of a name; throws ValueError with the argument and all names for another.
template <class E>
E known(const char* argument, const std::string& text) {
  if (const auto e = parse<E>(text)) return *e;
  std::string all;
  for (const std::string_view n : names<E>()) all += (all.empty() ? "" : ", ") + std::string(n);
  value_failure(argument, "\"" + text + "\" is none of " + all);
}

}  // namespace tridia::python
