// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/box.hpp"
#include "distributed/line_operator/line_sums.hpp"
#include "distributed/phase_timer.hpp"
#include "distributed/subdomain/interface.hpp"
#include "distributed/subdomain/local_rows.hpp"
#include "distributed/subdomain/neighbour_coefficients.hpp"
#include "distributed/subdomain/status_exchange.hpp"

namespace tridia::distributed {

/// What works on lines where a rank's arrays are: in host memory, or in that of a GPU, which must
/// then be the current device (`at_backend`).
class backend {
 public:
  virtual ~backend() = default;
  /// Makes the device current, and returns what was.
  virtual int enter() const { return -1; }
  virtual void leave(int /*before*/) const noexcept {}
  virtual std::unique_ptr<local_rows> make_local_rows(const local_rows_task&) const = 0;
  /// Of A^T. All ranks of a communicator make theirs together.
  virtual std::unique_ptr<neighbour_coefficients> make_neighbour_coefficients(
      const local_rows_task&, const line_of_ranks&, transport&) const = 0;
  /// By a strategy that is not `automatic`; `nearest` without pivoting only. Lines of two ranks or
  /// more. All ranks of a communicator make theirs together.
  virtual std::unique_ptr<interface_systems> make_interface(strategy, const interface_task&,
                                                            transport&) const = 0;
  /// All ranks of a communicator make theirs together.
  virtual std::unique_ptr<status_exchange> make_status_exchange(const line_of_ranks&, index_t lines,
                                                                const line_place&, int threads,
                                                                transport&) const = 0;
  /// All ranks of a communicator make theirs together.
  virtual std::unique_ptr<line_sums> make_sums(const sums_task&, transport&) const = 0;
  virtual std::unique_ptr<phase_timer> make_phase_timer() const = 0;
  /// Memory that lives as long as what is returned.
  virtual std::shared_ptr<void> allocate(std::size_t bytes) const = 0;
  virtual void copy(const box_copy&, std::size_t size, void* stream) const = 0;
  /// Waits until it is there.
  virtual void to_host(void* to, const void* from, std::size_t bytes) const = 0;
  /// The options of a plan that solves whole lines there.
  virtual tridia::options options(int threads) const = 0;
  /// Throws wrong_device if the memory is not within reach.
  virtual void check_pointer(const char* name, const void* p) const = 0;
};

/// For as long as it lives, work is where the backend is.
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

/// Where a transport's messages lie. Throws `unsupported` where this build has none such.
std::unique_ptr<const backend> make_backend(const transport&);
std::unique_ptr<const backend> make_host_backend();
std::unique_ptr<const backend> make_cuda_backend(int device);

}  // namespace tridia::distributed
