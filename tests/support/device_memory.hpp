// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "tridia/types.hpp"

namespace tridia_test {

/// Returns whether there is a GPU to run on; if not, prints why once, in one line.
bool have_gpu();

/// This is memory of the current GPU. In a build without CUDA, all functions below throw.
using device_bytes = std::unique_ptr<std::byte, void (*)(std::byte*)>;
device_bytes allocate_on_device(std::size_t bytes);
/// Allocates memory of the host that the GPU reads and writes as well.
device_bytes allocate_pinned(std::size_t bytes);
void copy_to_device(void* device, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* device, std::size_t bytes);

/// This is a stream that does not wait for the default stream.
using stream_handle = std::unique_ptr<void, void (*)(void*)>;
stream_handle make_stream();
void wait_for(void* stream);

/// Captures what `work` enqueues on `stream` as a graph, to be replayed at will.
class captured_graph {
 public:
  captured_graph(void* stream, const std::function<void()>& work);
  ~captured_graph();
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  void replay();

 private:
  void* stream_;
  void* executable_ = nullptr;
};

}  // namespace tridia_test
