// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "fields/field_executor.hpp"
#include "region_copy.hpp"

namespace tridia::cli {
namespace {

/// Describes a slab of a field as a whole array, for the functions that cut arrays.
struct lone_slab {
  lone_slab(const std::vector<index_t>& extents, const std::vector<index_t>& strides) {
    all.extents = extents;
    all.arrays[role_rhs] = {extents, strides};
    part = {std::vector<index_t>(extents.size(), 0), extents};
  }
  [[nodiscard]] std::vector<index_t> packed() const { return packed_strides(all, role_rhs, part); }
  [[nodiscard]] cli::region region(value_type type) {
    all.type = type;
    return region_of(all, role_rhs, part);
  }

  systems all;
  slab part;
};

class device_fields final : public field_executor {
 public:
  [[nodiscard]] std::uint64_t memory(std::uint64_t host_bytes) const override {
    return memory_for_slabs(host_bytes);
  }
  [[nodiscard]] std::vector<index_t> strides(const std::vector<index_t>& extents,
                                             const field_part& part) const override {
    return lone_slab(extents, part.strides).packed();
  }

  double apply(const compact_operator& op, const field_part& in, const field_part& out) override {
    const value_type type = op.grid().type;
    const region from = lone_slab(op.in_extents(), in.strides).region(type);
    const region to = lone_slab(op.out_extents(), out.strides).region(type);
    const std::size_t workspace_bytes = op.workspace_bytes();
    arena_.reserve(device_arena::aligned(from.bytes()) + device_arena::aligned(to.bytes()) +
                   device_arena::aligned(workspace_bytes));
    std::byte* const read = arena_.take(from.bytes());
    std::byte* const written = arena_.take(to.bytes());
    std::byte* const workspace = arena_.take(workspace_bytes);
    region_copy(from, stream_.get()).to_device(read, in.data);
    check(cudaEventRecord(begin_.get(), stream_.get()), "record an event");
    op.apply(static_cast<const void*>(read), static_cast<void*>(written),
             {.workspace = workspace, .workspace_bytes = workspace_bytes, .stream = stream_.get()});
    check(cudaEventRecord(end_.get(), stream_.get()), "record an event");
    region_copy(to, stream_.get()).from_device(out.data, written);
    check(cudaStreamSynchronize(stream_.get()), "differentiate");
    return seconds_between(begin_, end_);
  }

 private:
  device_stream stream_;
  device_event begin_, end_;
  device_arena arena_;
};

}  // namespace

std::unique_ptr<field_executor> make_device_fields() { return std::make_unique<device_fields>(); }

}  // namespace tridia::cli
