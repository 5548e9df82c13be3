// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "fields/field_executor.hpp"

#include <chrono>

namespace tridia::cli {
namespace {

class host_fields final : public field_executor {
 public:
  [[nodiscard]] std::uint64_t memory(std::uint64_t host_bytes) const override { return host_bytes; }
  [[nodiscard]] std::vector<index_t> strides(const std::vector<index_t>&,
                                             const field_part& part) const override {
    return part.strides;
  }

  double apply(const compact_operator& op, const field_part& in, const field_part& out) override {
    if (op.workspace_bytes() > workspace_.size()) workspace_.resize(op.workspace_bytes());
    const auto begin = std::chrono::steady_clock::now();
    op.apply(static_cast<const void*>(in.data), static_cast<void*>(out.data),
             {.workspace = workspace_.data(), .workspace_bytes = workspace_.size()});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  std::vector<std::byte> workspace_;
};

}  // namespace

std::unique_ptr<field_executor> make_host_fields() { return std::make_unique<host_fields>(); }

}  // namespace tridia::cli
