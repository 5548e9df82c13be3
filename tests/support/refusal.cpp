// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/refusal.hpp"

#include <gtest/gtest.h>

namespace tridia_test {

void expect_refusal(tridia::errc code, const std::vector<std::string>& words,
                    const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "accepted";
  } catch (const tridia::error& e) {
    const std::string sentence = e.what();
    EXPECT_EQ(e.code(), code) << sentence;
    for (const std::string& word : words)
      EXPECT_NE(sentence.find(word), std::string::npos) << "no '" << word << "' in: " << sentence;
  }
}

}  // namespace tridia_test
