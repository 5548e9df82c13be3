// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia_test {

/// Raises the largest `error` so far to `e`. Once either is not a number, it stays none, so that no
/// bound holds.
template <class T>
void raise_error(T& error, T e) {
  const bool is_number = error == error;
  if (is_number && !(e <= error)) error = e;
}

}  // namespace tridia_test
