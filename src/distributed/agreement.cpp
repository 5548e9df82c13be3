// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/agreement.hpp"

#include <exception>
#include <string>

namespace tridia::distributed {
namespace {

/// All ranks reduce this many values, whatever each of them makes.
constexpr std::size_t most = 64;

}  // namespace

agreement& agreement::on(const decomposition& g) {
  std::vector<index_t> all;  // the cuts of every axis, one after another
  for (int a = 0; a < static_cast<int>(g.ranks().size()); ++a) {
    all.insert(all.end(), g.cuts(a).begin(), g.cuts(a).end());
  }
  return on("decomposition", all);
}

void agreement::reach(const std::function<void()>& check) const {
  std::exception_ptr wrong;
  try {
    check();
  } catch (...) {
    wrong = std::current_exception();
  }
  // A rank that has refused still takes part, so that the others need not wait for it in vain. The
  // minimum is found as the maximum of the negated values.
  std::vector<index_t> heard{wrong ? 1 : 0};
  for (const index_t d : digests_) heard.push_back(d), heard.push_back(-d);
  heard.resize(most);
  by_.maxima(heard);
  if (wrong) std::rethrow_exception(wrong);
  if (heard[0] != 0) {
    throw error(errc::invalid_argument, "problem: another rank has refused its own");
  }
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (heard[1 + 2 * k] != -heard[2 + 2 * k]) {
      throw error(errc::invalid_argument,
                  std::string(names_[k]) + ": ranks disagree, but it must be the same on all");
    }
  }
}

void check_size(const decomposition& g, const transport& by) {
  if (by.size() == g.size()) return;
  throw error(errc::invalid_argument, "communicator: has " + std::to_string(by.size()) +
                                          " ranks, but the decomposition " +
                                          std::to_string(g.size()));
}

}  // namespace tridia::distributed
