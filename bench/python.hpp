// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace tridia_bench {

/// Returns the names of Python: that of the distribution, which has the distribution's packages, is
/// asked first.
std::span<const char* const> pythons() noexcept;

/// Returns a word as the shell reads it.
std::string quoted(const std::string& word);

/// Returns the path of a script of share/tridia, in a build as where it is installed, quoted.
std::string script_word(const std::string& name);

/// Runs a script of share/tridia with arguments as the shell reads them, and `input` as its
/// standard input. Throws if it fails, after it has said why on standard error.
void run_script(const std::string& name, const std::string& arguments, const std::string& input);

}  // namespace tridia_bench
