// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/backend.hpp"

#include "distributed/cuda/lines.hpp"
#include "gpu/check.hpp"
#include "gpu/devices.hpp"

#include <vector>

namespace tridia::distributed {
namespace {

using gpu::check;

class timer {
 public:
  timer() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~timer() { cudaEventDestroy(event_); }
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Measures the phases of the first slabs of lines; phases of later slabs are counted with the last
/// of these.
class device_phase_timer final : public phase_timer {
 public:
  void begin() override { used_ = 0; }
  void start(void* stream) override { mark({nullptr, nullptr}, stream); }
  void record(double phase_times::*phase, double step_times::*step, void* stream) override {
    mark({phase, step}, stream);
  }

  divided_times read() override {
    divided_times all{};
    for (std::size_t k = 1; k < used_; ++k) {
      const auto [phase, step] = marks_[k];
      if (phase == nullptr) continue;
      check(cudaEventSynchronize(timers_[k].get()), "cudaEventSynchronize");
      float ms = 0;
      check(cudaEventElapsedTime(&ms, timers_[k - 1].get(), timers_[k].get()),
            "cudaEventElapsedTime");
      all.phases.*phase += ms / 1000.0;
      if (step != nullptr) all.steps.*step += ms / 1000.0;
    }
    return all;
  }

 private:
  static constexpr std::size_t most = 64;

  /// Says what the time before an event is counted as; a start has no phase.
  struct meaning {
    double phase_times::*phase;
    double step_times::*step;
  };

  void mark(const meaning& m, void* stream) {
    if (used_ == most) --used_;
    check(cudaEventRecord(timers_[used_].get(), static_cast<cudaStream_t>(stream)),
          "cudaEventRecord");
    marks_[used_++] = m;
  }

  std::vector<timer> timers_ = std::vector<timer>(most);
  meaning marks_[most] = {};
  std::size_t used_ = 0;
};

class cuda_backend final : public backend {
 public:
  explicit cuda_backend(int device) : device_(device) {}

  int enter() const override {
    int before = 0;
    check(cudaGetDevice(&before), "cudaGetDevice");
    if (before != device_) check(cudaSetDevice(device_), "cudaSetDevice");
    return before;
  }
  void leave(int before) const noexcept override {
    if (before != device_) cudaSetDevice(before);
  }

  std::unique_ptr<local_rows> make_local_rows(const local_rows_task& t) const override {
    return make_device_local_rows(t);
  }
  std::unique_ptr<neighbour_coefficients> make_neighbour_coefficients(
      const local_rows_task& t, const line_of_ranks& line, transport& by) const override {
    return make_device_neighbour_coefficients(t, line, by);
  }
  std::unique_ptr<interface_systems> make_interface(strategy s, const interface_task& t,
                                                    transport& by) const override {
    return make_device_interface(s, t, by);
  }
  std::unique_ptr<fused_lines> make_fused(const local_rows_task& t, const interface_task& i,
                                          transport& by) const override {
    return make_device_fused_lines(t, i, by);
  }
  std::unique_ptr<status_exchange> make_status_exchange(const line_of_ranks& line, index_t lines,
                                                        const line_place& at, int /*threads*/,
                                                        transport& by) const override {
    return make_device_status_exchange(line, lines, at, by);
  }
  std::unique_ptr<line_sums> make_sums(const sums_task& t, transport& by) const override {
    return make_device_sums(t, by);
  }
  std::unique_ptr<gathered_faces> make_faces(const faces_task& t, transport& by) const override {
    return make_device_faces(t, by);
  }
  std::unique_ptr<phase_timer> make_phase_timer() const override {
    return std::make_unique<device_phase_timer>();
  }
  std::shared_ptr<void> allocate(std::size_t bytes) const override {
    auto memory = std::make_shared<gpu::device_memory>(bytes);
    return {memory, memory->as<void>()};
  }
  void copy(const box_copy& c, std::size_t size, void* stream) const override {
    copy_on_device(c, size, stream);
  }
  void to_host(void* to, const void* from, std::size_t bytes) const override {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying to the host");
  }
  tridia::options options(int /*threads*/) const override {
    return {.backend = tridia::backend::cuda, .device = device_};
  }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_device_pointer(name, p, device_);
  }

 private:
  int device_;
};

}  // namespace

std::unique_ptr<const backend> make_cuda_backend(int device) {
  return std::make_unique<cuda_backend>(device);
}

}  // namespace tridia::distributed
