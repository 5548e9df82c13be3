// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/transport.hpp"

#include "core/refuse.hpp"
#include "tridia/mpi.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

namespace tridia::distributed {
namespace {

[[noreturn]] void fail(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw error(errc::peer_failure, std::string("MPI: ") + what + ": " + text);
}
void check(const char* what, int code) {
  if (code != MPI_SUCCESS) fail(what, code);
}

/// This is the largest message in bytes: MPI counts bytes in an int.
constexpr std::size_t largest_message = std::size_t{1} << 30;

/// Lets MPI return errors of the caller's communicator while it is examined, whatever error handler
/// the caller has set.
class errors_returned {
 public:
  explicit errors_returned(MPI_Comm of) : of_(of) {
    check("MPI_Comm_get_errhandler", MPI_Comm_get_errhandler(of, &before_));
    check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(of, MPI_ERRORS_RETURN));
  }
  ~errors_returned() {
    MPI_Comm_set_errhandler(of_, before_);
    if (before_ != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&before_);
  }
  errors_returned(const errors_returned&) = delete;
  errors_returned& operator=(const errors_returned&) = delete;

 private:
  MPI_Comm of_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

class mpi_transport final : public transport {
 public:
  explicit mpi_transport(double time_limit) : limit_(time_limit) {}
  /// Duplicates the communicator; call it once. The constructor must not do this: if it throws, MPI
  /// may still write into the object.
  void duplicate(MPI_Comm ranks) {
    const errors_returned guard(ranks);
    MPI_Request duplicated;
    check("MPI_Comm_idup", MPI_Comm_idup(ranks, &comm_, &duplicated));
    wait({&duplicated, 1});
    check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    check("MPI_Comm_rank", MPI_Comm_rank(comm_, &rank_));
    check("MPI_Comm_size", MPI_Comm_size(comm_, &size_));
  }
  ~mpi_transport() override {
    // Freeing is collective, so it is left out if a rank may be gone, and after MPI has ended.
    int ended = 0;
    if (failed_ || comm_ == MPI_COMM_NULL) return;
    if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended) MPI_Comm_free(&comm_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string reason() const override { return "MPI carries all messages"; }
  bool failed() const override { return failed_; }
  std::unique_ptr<exchange> make_exchange(std::size_t messages) override;

  void maxima(std::span<index_t> values) override {
    refuse_failed();
    MPI_Request request;
    // The buffer belongs to the object because a wait that fails leaves the reduction running.
    reduced_.assign(values.begin(), values.end());
    all_.resize(values.size());
    try {
      check("MPI_Iallreduce",
            MPI_Iallreduce(reduced_.data(), all_.data(), static_cast<int>(values.size()),
                           MPI_INT64_T, MPI_MAX, comm_, &request));
    } catch (...) {
      failed_ = true;
      throw;
    }
    wait({&request, 1});
    std::copy(all_.begin(), all_.end(), values.begin());
  }

  void refuse_failed() const {
    if (failed_) {
      throw error(errc::peer_failure,
                  "communicator: another rank has failed before; make a new one without it");
    }
  }

  void wait(std::span<MPI_Request> requests) {
    try {
      wait_until(requests, std::chrono::steady_clock::now());
    } catch (...) {
      failed_ = true;
      throw;
    }
  }

  /// Marks the transport as failed if MPI returned an error.
  void require(const char* what, int code) {
    if (code == MPI_SUCCESS) return;
    failed_ = true;
    fail(what, code);
  }

  MPI_Comm comm() const { return comm_; }
  int next_tag() { return tag_ = (tag_ + 1) % 32768; }  // what every MPI has

 private:
  void wait_until(std::span<MPI_Request> requests, std::chrono::steady_clock::time_point began) {
    for (int tries = 0;; ++tries) {
      int done = 0;
      check("waiting for other ranks", MPI_Testall(static_cast<int>(requests.size()),
                                                   requests.data(), &done, MPI_STATUSES_IGNORE));
      if (done) return;
      // A rank that shares its core lets the one that it waits for run.
      if (tries > 100) std::this_thread::yield();
      const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - began;
      if (limit_ > 0 && waited.count() > limit_) {
        throw error(errc::peer_failure, "rank " + std::to_string(rank_) + ": " +
                                            std::to_string(count_open(requests)) + " of " +
                                            std::to_string(requests.size()) +
                                            " messages have not arrived within the time limit of " +
                                            std::to_string(limit_) + " seconds");
      }
    }
  }
  static std::size_t count_open(std::span<const MPI_Request> requests) {
    return static_cast<std::size_t>(std::count_if(
        requests.begin(), requests.end(), [](MPI_Request r) { return r != MPI_REQUEST_NULL; }));
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0, tag_ = 0;
  double limit_;
  bool failed_ = false;
  std::vector<index_t> reduced_, all_;
};

class mpi_exchange final : public exchange {
 public:
  mpi_exchange(mpi_transport& by, std::size_t messages) : by_(by), tag_(by.next_tag()) {
    requests_.reserve(messages);
  }

  void start(std::span<const message> receives, std::span<const message> sends,
             void* /*stream*/) override {
    by_.refuse_failed();
    requests_.clear();
    for (const message& m : receives) {
      in_pieces(m, [&](void* data, int bytes, MPI_Request* r) {
        return MPI_Irecv(data, bytes, MPI_BYTE, m.peer, tag_, by_.comm(), r);
      });
    }
    for (const message& m : sends) {
      in_pieces(m, [&](const void* data, int bytes, MPI_Request* r) {
        return MPI_Isend(data, bytes, MPI_BYTE, m.peer, tag_, by_.comm(), r);
      });
    }
  }
  void wait(void* /*stream*/) override {
    by_.refuse_failed();
    by_.wait(requests_);
  }

 private:
  template <class F>
  void in_pieces(const message& m, F f) {
    auto* const data = static_cast<std::byte*>(m.data);
    for (std::size_t at = 0; at < m.bytes; at += largest_message) {
      const auto bytes = static_cast<int>(std::min(m.bytes - at, largest_message));
      by_.require("sending to other ranks",
                  f(data + at, bytes, &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
  }
  mpi_transport& by_;
  int tag_;
  std::vector<MPI_Request> requests_;
};

std::unique_ptr<exchange> mpi_transport::make_exchange(std::size_t messages) {
  return std::make_unique<mpi_exchange>(*this, messages);
}

void check_running() {
  int begun = 0, ended = 0;
  check("MPI_Initialized", MPI_Initialized(&begun));
  check("MPI_Finalized", MPI_Finalized(&ended));
  if (!begun || ended) refuse("communicator: MPI is not running: call MPI_Init before");
}

}  // namespace

communicator mpi_communicator(MPI_Comm ranks, const communicator_options& o) {
  check_running();
  if (ranks == MPI_COMM_NULL) refuse("communicator: is MPI_COMM_NULL");
  check_options(o);
  int between_groups = 0;
  check("MPI_Comm_test_inter", MPI_Comm_test_inter(ranks, &between_groups));
  if (between_groups) refuse("communicator: is one between two groups of ranks");
  std::shared_ptr<mpi_transport> made(new mpi_transport(o.time_limit), [](mpi_transport* t) {
    t->dispose(std::unique_ptr<mpi_transport>(t));
  });
  made->duplicate(ranks);
  return communicator(made);
}

}  // namespace tridia::distributed
