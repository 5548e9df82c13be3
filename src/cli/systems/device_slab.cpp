// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "region_copy.hpp"
#include "systems/slab_executor.hpp"

#include <array>

namespace tridia::cli {
namespace {

class device_executor final : public slab_executor {
 public:
  [[nodiscard]] bool packed() const noexcept override { return true; }

  [[nodiscard]] std::uint64_t memory(std::uint64_t host_bytes) const override {
    return memory_for_slabs(host_bytes);
  }

  double execute(const plan& p, const systems& all, const slab& part, const array_pointers& inputs,
                 std::byte* x, std::span<index_t> status) override {
    std::array<region, roles> regions;
    std::size_t bytes =
        device_arena::aligned(p.workspace_bytes()) + device_arena::aligned(status.size_bytes());
    for (std::size_t role = 0; role < roles; ++role) {
      regions[role] = region_of(all, static_cast<array_role>(role), part);
      bytes += device_arena::aligned(regions[role].bytes());
    }
    arena_.reserve(bytes);
    std::array<std::byte*, roles> on_device;
    for (std::size_t role = 0; role < roles; ++role) {
      on_device[role] = arena_.take(regions[role].bytes());
      if (role != role_x && inputs[role] != nullptr)
        copy(regions[role]).to_device(on_device[role], inputs[role]);
    }
    // What is padding of x is copied back as well.
    if (all.is_padded()) {
      check(cudaMemsetAsync(on_device[role_x], 0, regions[role_x].bytes(), stream_.get()),
            "clear the padding");
    }
    std::byte* status_on_device = arena_.take(status.size_bytes());
    check(cudaEventRecord(begin_.get(), stream_.get()), "record an event");
    const execution e{.workspace = arena_.take(p.workspace_bytes()),
                      .workspace_bytes = p.workspace_bytes(),
                      .status = reinterpret_cast<index_t*>(status_on_device),
                      .stream = stream_.get()};
    auto* const to = static_cast<void*>(on_device[role_x]);
    if (all.is_constant()) {
      p.execute(on_device[role_rhs], to, e);
    } else {
      p.execute(on_device[role_dl], on_device[role_d], on_device[role_du], on_device[role_rhs], to,
                e);
    }
    check(cudaEventRecord(end_.get(), stream_.get()), "record an event");
    copy(regions[role_x]).from_device(x, on_device[role_x]);
    check(cudaMemcpyAsync(status.data(), status_on_device, status.size_bytes(),
                          cudaMemcpyDeviceToHost, stream_.get()),
          "copy the status");
    check(cudaStreamSynchronize(stream_.get()), "solve");
    return seconds_between(begin_, end_);
  }

 private:
  [[nodiscard]] region_copy copy(const region& r) const { return {r, stream_.get()}; }

  device_stream stream_;
  device_event begin_, end_;
  device_arena arena_;
};

}  // namespace

std::unique_ptr<slab_executor> make_device_slab_executor() {
  return std::make_unique<device_executor>();
}

}  // namespace tridia::cli
