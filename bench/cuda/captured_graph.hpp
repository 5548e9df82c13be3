// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"

#include <vector>

namespace tridia_bench {

/// Captures one piece of work as a graph.
class captured_graph {
 public:
  template <class F>
  captured_graph(cudaStream_t stream, F&& work) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    work();
    check(cudaStreamEndCapture(stream, &captured_), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&graph_, captured_, 0);
    if (status != cudaSuccess) cudaGraphDestroy(captured_);
    check(status, "cudaGraphInstantiate");
  }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  ~captured_graph() {
    cudaGraphExecDestroy(graph_);
    cudaGraphDestroy(captured_);
  }
  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch");
  }

  /// Leaves out the kernels for which `which(parameters)` is true; returns how many are left.
  template <class Which>
  int leave_out(Which which) const {
    std::size_t count = 0;
    check(cudaGraphGetNodes(captured_, nullptr, &count), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(captured_, nodes.data(), &count), "cudaGraphGetNodes");
    int left = 0;
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
      if (type != cudaGraphNodeTypeKernel) continue;
      cudaKernelNodeParams parameters{};
      check(cudaGraphKernelNodeGetParams(node, &parameters), "cudaGraphKernelNodeGetParams");
      if (which(parameters)) {
        check(cudaGraphNodeSetEnabled(graph_, node, 0), "cudaGraphNodeSetEnabled");
      } else {
        ++left;
      }
    }
    return left;
  }

 private:
  cudaGraph_t captured_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace tridia_bench
