// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tridia::distributed {

struct message {
  int peer;
  void* data;  // only read if it is sent
  std::size_t bytes;
};

/// Messages that travel at the same time, again and again. Those from one rank to another arrive
/// in the order in which they are given. Whoever owns their memory gives it to
/// `transport::dispose` at its end. Messages of device memory leave once the work before them in
/// `stream` is done, and are waited for by what comes after them there; the host does not wait.
class exchange {
 public:
  virtual ~exchange() = default;
  virtual void start(std::span<const message> receives, std::span<const message> sends,
                     void* stream) = 0;
  /// Until all of them have arrived. Throws peer_failure after the time limit.
  virtual void wait(void* stream) = 0;
};

/// How ranks reach each other: what a communicator is. All waits have a time limit.
class transport {
 public:
  virtual ~transport() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// The GPU in whose memory messages lie; -1: host memory.
  [[nodiscard]] virtual int device() const { return -1; }
  /// As `communicator::synchronize`.
  virtual void synchronize(void* /*stream*/) {}
  /// All ranks make exchanges in the same order. `messages`: the most at a time.
  virtual std::unique_ptr<exchange> make_exchange(std::size_t messages) = 0;
  /// The largest of all ranks' values, entry by entry. All ranks call it together.
  virtual void maxima(std::span<index_t> values) = 0;
  /// Messages may still be on their way into memory that was given.
  [[nodiscard]] virtual bool failed() const = 0;

  /// Ends the life of memory, unless messages may still reach it: it then stays for ever.
  template <class T>
  void dispose(std::unique_ptr<T> memory, bool travelling = false) {
    if (travelling || failed()) keep(std::shared_ptr<void>(std::move(memory)));
  }

 private:
  static void keep(std::shared_ptr<void> memory) {
    static auto& kept = *new std::vector<std::shared_ptr<void>>;
    kept.push_back(std::move(memory));
  }
};

/// Throws invalid_argument for options that make no sense.
void check_options(const communicator_options&);

}  // namespace tridia::distributed
