// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/box.hpp"
#include "distributed/line_operator/gathered_faces.hpp"
#include "distributed/line_operator/line_sums.hpp"
#include "distributed/phase_timer.hpp"
#include "distributed/subdomain/fused_lines.hpp"
#include "distributed/subdomain/interface.hpp"
#include "distributed/subdomain/local_rows.hpp"
#include "distributed/subdomain/neighbour_coefficients.hpp"
#include "distributed/subdomain/status_exchange.hpp"

namespace tridia::distributed {

/// A backend works on lines where a rank's arrays are: in host memory, or in that of a GPU, which
/// must then be the current device (`at_backend`).
class backend {
 public:
  virtual ~backend() = default;
  /// Makes the device current, and returns the device that was current before.
  virtual int enter() const { return -1; }
  virtual void leave(int /*before*/) const noexcept {}
  virtual std::unique_ptr<local_rows> make_local_rows(const local_rows_task&) const = 0;
  /// Makes the neighbour coefficients of A^T. All ranks of a communicator make theirs together.
  virtual std::unique_ptr<neighbour_coefficients> make_neighbour_coefficients(
      const local_rows_task&, const line_of_ranks&, transport&) const = 0;
  /// Makes the interface systems of lines of two ranks or more, for a strategy other than
  /// `automatic` (`nearest` without pivoting only). All ranks of a communicator make theirs
  /// together.
  virtual std::unique_ptr<interface_systems> make_interface(strategy, const interface_task&,
                                                            transport&) const = 0;
  /// Makes what solves lines of two ranks or more in one pass, or returns null, on all ranks alike.
  /// All ranks of a communicator call it together.
  virtual std::unique_ptr<fused_lines> make_fused(const local_rows_task&, const interface_task&,
                                                  transport&) const {
    return nullptr;
  }
  /// Makes a status exchange. All ranks of a communicator make theirs together.
  virtual std::unique_ptr<status_exchange> make_status_exchange(const line_of_ranks&, index_t lines,
                                                                const line_place&, int threads,
                                                                transport&) const = 0;
  /// Makes the sums over lines. All ranks of a communicator make theirs together.
  virtual std::unique_ptr<line_sums> make_sums(const sums_task&, transport&) const = 0;
  /// Makes what completes primary solutions. All ranks of a communicator make theirs together.
  virtual std::unique_ptr<gathered_faces> make_faces(const faces_task&, transport&) const = 0;
  virtual std::unique_ptr<phase_timer> make_phase_timer() const = 0;
  [[nodiscard]] std::unique_ptr<phase_timer> phase_timer_if(bool wanted) const {
    if (wanted) return make_phase_timer();
    return std::make_unique<no_phase_timer>();
  }
  /// Allocates memory that lives as long as the returned pointer.
  virtual std::shared_ptr<void> allocate(std::size_t bytes) const = 0;
  virtual void copy(const box_copy&, std::size_t size, void* stream) const = 0;
  /// Copies to host memory and waits until the copy has arrived.
  virtual void to_host(void* to, const void* from, std::size_t bytes) const = 0;
  /// Returns the options of a plan that solves whole lines on this backend.
  virtual tridia::options options(int threads) const = 0;
  /// Throws wrong_device if the backend cannot access the memory.
  virtual void check_pointer(const char* name, const void* p) const = 0;
};

/// Keeps the backend's device current for as long as the object lives.
class at_backend {
 public:
  explicit at_backend(const backend& b) : backend_(b), before_(b.enter()) {}
  ~at_backend() { backend_.leave(before_); }
  at_backend(const at_backend&) = delete;
  at_backend& operator=(const at_backend&) = delete;

 private:
  const backend& backend_;
  int before_;
};

/// Makes the backend for the memory in which a transport's messages lie. Throws `unsupported`
/// where this build has no such backend.
std::unique_ptr<const backend> make_backend(const transport&);
std::unique_ptr<const backend> make_host_backend();
std::unique_ptr<const backend> make_cuda_backend(int device);

}  // namespace tridia::distributed
