// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/check.hpp"

namespace tridia::distributed {

/// Lets kernels that keep the GPU busy while they wait for other ranks run one after another,
/// whatever streams they are in. Those that are captured follow each other within a graph; graphs
/// that hold such kernels, and what is executed beside them, the caller has to order.
class turns {
 public:
  turns() {
    for (turn* t : {&at_once_, &captured_}) {
      gpu::check(cudaEventCreateWithFlags(&t->ended, cudaEventDisableTiming), "cudaEventCreate");
    }
  }
  ~turns() {
    cudaEventDestroy(at_once_.ended);
    cudaEventDestroy(captured_.ended);
  }
  turns(const turns&) = delete;
  turns& operator=(const turns&) = delete;

  /// Lets a stream wait for the kernels before, unless it has them itself.
  void begin(cudaStream_t stream) {
    const unsigned long long graph = graph_of(stream);
    const turn& last = graph == 0 ? at_once_ : captured_;
    if (!last.any || last.graph != graph || last.stream == stream) return;
    gpu::check(cudaStreamWaitEvent(stream, last.ended, 0), "cudaStreamWaitEvent");
  }
  /// Names the kernels that are last in a stream as those to wait for.
  void end(cudaStream_t stream) {
    const unsigned long long graph = graph_of(stream);
    turn& last = graph == 0 ? at_once_ : captured_;
    gpu::check(cudaEventRecord(last.ended, stream), "cudaEventRecord");
    last.any = true, last.graph = graph, last.stream = stream;
  }

 private:
  struct turn {
    cudaEvent_t ended = nullptr;
    bool any = false;
    unsigned long long graph = 0;
    cudaStream_t stream = nullptr;
  };

  /// Returns the number of the graph that a stream is captured for, or 0.
  static unsigned long long graph_of(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    gpu::check(cudaStreamGetCaptureInfo(stream, &status, &id), "cudaStreamGetCaptureInfo");
    return status == cudaStreamCaptureStatusActive ? id : 0;
  }

  turn at_once_, captured_;
};

}  // namespace tridia::distributed
