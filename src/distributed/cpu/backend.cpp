// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/backend.hpp"

#include "distributed/cpu/host_execution_space.hpp"
#include "distributed/cpu/local_rows.hpp"
#include "distributed/line_operator/gathered_faces_in.hpp"
#include "distributed/line_operator/line_sums_in.hpp"
#include "distributed/strategies/make.hpp"
#include "distributed/subdomain/neighbour_coefficients_in.hpp"
#include "distributed/subdomain/status_exchange_in.hpp"
#include "gpu/devices.hpp"

#include <chrono>

namespace tridia::distributed {
namespace {

class host_phase_timer final : public phase_timer {
 public:
  void begin() override { seconds_ = {}; }
  void start(void* /*stream*/) override { began_ = clock::now(); }
  void record(double phase_times::*phase, double step_times::*step, void* /*stream*/) override {
    const auto now = clock::now();
    const double seconds = std::chrono::duration<double>(now - began_).count();
    seconds_.phases.*phase += seconds;
    if (step != nullptr) seconds_.steps.*step += seconds;
    began_ = now;
  }
  divided_times read() override { return seconds_; }

 private:
  using clock = std::chrono::steady_clock;
  divided_times seconds_{};
  clock::time_point began_{};
};

class host_backend final : public backend {
 public:
  std::unique_ptr<local_rows> make_local_rows(const local_rows_task& t) const override {
    return make_cpu_local_rows(t);
  }
  std::unique_ptr<neighbour_coefficients> make_neighbour_coefficients(
      const local_rows_task& t, const line_of_ranks& line, transport& by) const override {
    return make_neighbour_coefficients_in<host_execution_space>(t, line, by);
  }
  std::unique_ptr<interface_systems> make_interface(strategy s, const interface_task& t,
                                                    transport& by) const override {
    return make_interface_in<host_execution_space>(s, t, by);
  }
  std::unique_ptr<status_exchange> make_status_exchange(const line_of_ranks& line, index_t lines,
                                                        const line_place& at, int threads,
                                                        transport& by) const override {
    return std::make_unique<status_exchange_in<host_execution_space>>(line, lines, at, threads, by);
  }
  std::unique_ptr<line_sums> make_sums(const sums_task& t, transport& by) const override {
    return make_line_sums_in<host_execution_space>(t, by);
  }
  std::unique_ptr<gathered_faces> make_faces(const faces_task& t, transport& by) const override {
    return make_gathered_faces_in<host_execution_space>(t, by);
  }
  std::unique_ptr<phase_timer> make_phase_timer() const override {
    return std::make_unique<host_phase_timer>();
  }
  std::shared_ptr<void> allocate(std::size_t bytes) const override {
    return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  }
  void copy(const box_copy& c, std::size_t size, void* stream) const override {
    copy_box(host_execution_space(0, stream), c, size);
  }
  void to_host(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  tridia::options options(int threads) const override { return {.threads = threads}; }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }
};

}  // namespace

std::unique_ptr<const backend> make_host_backend() { return std::make_unique<host_backend>(); }

}  // namespace tridia::distributed
