// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/direct_way.hpp"
#include "tridia/distributed.hpp"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tridia::distributed {

struct message {
  int peer;
  void* data;  // only read if it is sent
  std::size_t bytes;
};

/// An exchange sends messages that travel at the same time, again and again. Those from one rank to
/// another arrive in the order in which they are given. Whoever owns their memory gives it to
/// `transport::dispose` at its end. Messages of device memory leave once the work before them in
/// `stream` is done, and are waited for by what comes after them there; the host does not wait.
class exchange {
 public:
  virtual ~exchange() = default;
  virtual void start(std::span<const message> receives, std::span<const message> sends,
                     void* stream) = 0;
  /// Returns where kernels may write these messages instead, and read them, or null where they
  /// cannot: the same on all ranks that have any, which call it together, before anything has been
  /// started. The exchange then only owns the way.
  virtual const direct_way* open(std::span<const message> /*receives*/,
                                 std::span<const message> /*sends*/) {
    return nullptr;
  }
  /// Throws peer_failure where a rank has failed before; of those that have a direct way.
  virtual void refuse_failed() {}
  /// Are called before and after kernels that keep the GPU busy while they wait for other ranks.
  /// Those of one communicator run one after another, in the order of the calls: if ranks ran them
  /// in different orders, each could wait for one that the other has no room for.
  virtual void begin_waiting(void* /*stream*/) {}
  virtual void end_waiting(void* /*stream*/) {}
  /// Waits until all of them have arrived. Throws peer_failure after the time limit.
  virtual void wait(void* stream) = 0;
};

/// A transport carries messages between ranks; every communicator is implemented by one. All waits
/// have a time limit.
class transport {
 public:
  virtual ~transport() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Returns the GPU in whose memory messages lie; -1 means host memory.
  [[nodiscard]] virtual int device() const { return -1; }
  /// Does what `communicator::reason` says.
  [[nodiscard]] virtual std::string reason() const { return "messages are carried by the caller"; }
  /// Does what `communicator::synchronize` says.
  virtual void synchronize(void* /*stream*/) {}
  /// Makes an exchange of at most `messages` messages at a time. All ranks make exchanges in the
  /// same order.
  virtual std::unique_ptr<exchange> make_exchange(std::size_t messages) = 0;
  /// Replaces each entry by the largest of all ranks' values. All ranks call it together.
  virtual void maxima(std::span<index_t> values) = 0;
  /// Returns whether it has failed: messages may then still be on their way into memory that was
  /// given.
  [[nodiscard]] virtual bool failed() const = 0;

  /// Frees memory, unless messages may still reach it: it is then never freed.
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

/// Throws invalid_argument for invalid options.
void check_options(const communicator_options&);

}  // namespace tridia::distributed
