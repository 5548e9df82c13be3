// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/slab_executor.hpp"

#include <chrono>

namespace tridia::cli {
namespace {

class host_executor final : public slab_executor {
 public:
  [[nodiscard]] bool packed() const noexcept override { return false; }
  [[nodiscard]] std::uint64_t memory(std::uint64_t host_bytes) const override { return host_bytes; }

  double execute(const plan& p, const systems& all, const slab& part, const array_pointers& inputs,
                 std::byte* x, std::span<index_t> status) override {
    grow(p.workspace_bytes());
    const auto at = [&](array_role role) {
      return static_cast<const void*>(inputs[role] + region_of(all, role, part).first);
    };
    std::byte* const to = x + region_of(all, role_x, part).first;
    const execution e{.workspace = workspace_.get(),
                      .workspace_bytes = p.workspace_bytes(),
                      .status = status.data()};
    const auto begin = std::chrono::steady_clock::now();
    if (all.is_constant()) {
      p.execute(at(role_rhs), static_cast<void*>(to), e);
    } else {
      p.execute(at(role_dl), at(role_d), at(role_du), at(role_rhs), to, e);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  void grow(std::size_t bytes) {
    if (bytes <= size_) return;
    workspace_.reset();
    workspace_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    size_ = bytes;
  }

  std::unique_ptr<std::byte[]> workspace_;
  std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<slab_executor> make_host_slab_executor() {
  return std::make_unique<host_executor>();
}

}  // namespace tridia::cli
