// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/refuse.hpp"
#include "distributed/agreement.hpp"
#include "distributed/backend.hpp"
#include "layout/resolve.hpp"

#include <algorithm>
#include <new>

namespace tridia::distributed {
namespace {

/// A face is one side of the block along one axis.
struct face {
  int peer = -1;   // none beyond the ends of the whole array
  box give, take;  // the layers that the peer needs of the block, and those it has for it
  std::size_t at_give = 0, at_take = 0;  // where they lie in the memory of messages
};

}  // namespace

struct halo_exchange::state {
  decomposition ranks;
  halo asked;
  std::shared_ptr<distributed::transport> transport;
  std::unique_ptr<const backend> where{};
  // Axis by axis, the face before the block and then that after it.
  std::vector<face> faces{};
  std::shared_ptr<void> memory{};
  std::vector<message> receives{}, sends{};
  std::unique_ptr<exchange> travel{};
  void *field = nullptr, *stream = nullptr;  // between start and finish

  [[nodiscard]] std::byte* at(std::size_t place) const {
    return static_cast<std::byte*>(memory.get()) + place;
  }
};

namespace {

template <class T>
void fill_in(const char* name, std::vector<T>& values, std::size_t axes, T least) {
  if (values.empty()) values.assign(axes, least);
  if (values.size() != axes) {
    refuse(std::string(name) + ": has " + std::to_string(values.size()) +
           " entries, but the decomposition has " + std::to_string(axes) + " axes");
  }
}

/// Throws unless every neighbour has at least `width` layers of its own.
void check_width(const decomposition& g, int axis, const char* name, int width) {
  if (width < 0) {
    refuse(std::string(name) + ": axis " + std::to_string(axis) + " has " + std::to_string(width) +
           " layers, below 0");
  }
  const std::vector<index_t>& cuts = g.cuts(axis);
  for (std::size_t k = 1; k < cuts.size(); ++k) {
    if (cuts[k] - cuts[k - 1] < width) {
      refuse(std::string(name) + ": axis " + std::to_string(axis) + " has " +
             std::to_string(width) + " layers, but a block there has only " +
             std::to_string(cuts[k] - cuts[k - 1]) + " points");
    }
  }
}

void check_halo(halo_exchange::state& s) {
  halo& h = s.asked;
  const std::size_t axes = s.ranks.ranks().size();
  check_size(s.ranks, *s.transport);
  if (name(h.type) == "invalid") {
    refuse("type: " + std::to_string(static_cast<int>(h.type)) + " is none of its enumerators");
  }
  fill_in("before", h.before, axes, 0);
  fill_in("after", h.after, axes, 0);
  fill_in("periodic", h.periodic, axes, false);
  layout::resolved_array padded{"strides", s.ranks.block(s.transport->rank()).extents, {}};
  for (std::size_t a = 0; a < axes; ++a) {
    check_width(s.ranks, static_cast<int>(a), "before", h.before[a]);
    check_width(s.ranks, static_cast<int>(a), "after", h.after[a]);
    padded.extents[a] += h.before[a] + h.after[a];
  }
  if (h.strides.empty()) {
    h.strides.resize(axes);
    index_t step = 1;
    for (std::size_t a = axes; a-- > 0; step *= padded.extents[a]) h.strides[a] = step;
  }
  fill_in("strides", h.strides, axes, index_t{1});
  padded.strides = h.strides;
  padded.extents.insert(padded.extents.begin(), 1);
  padded.strides.insert(padded.strides.begin(), 0);
  layout::check_distinct(padded);
}

/// Returns `width` layers of a block beside one of its faces, from layer `first` on.
box layers(const halo_exchange::state& s, int axis, index_t first, index_t width) {
  box b{s.ranks.block(s.transport->rank()).extents, s.asked.strides, first * s.asked.strides[axis]};
  b.extents[axis] = width;
  return b;
}

void make_faces(halo_exchange::state& s) {
  const std::size_t size = size_of(s.asked.type);
  std::size_t bytes = 0;
  const auto place = [&](const box& b) {
    const std::size_t at = bytes;
    bytes += b.points() * size;
    return at;
  };
  for (int a = 0; a < static_cast<int>(s.ranks.ranks().size()); ++a) {
    const index_t points = s.ranks.block(s.transport->rank()).extents[a];
    const index_t before = s.asked.before[a], after = s.asked.after[a];
    face low{-1, layers(s, a, 0, after), layers(s, a, -before, before)};
    face high{-1, layers(s, a, points - before, before), layers(s, a, points, after)};
    for (face* f : {&low, &high}) {
      const int step = f == &low ? -1 : 1;
      f->peer = s.ranks.neighbour(s.transport->rank(), a, step, s.asked.periodic[a]).value_or(-1);
      if (f->peer >= 0) f->at_give = place(f->give), f->at_take = place(f->take);
      s.faces.push_back(*f);
    }
  }
  s.memory = s.where->allocate(bytes);
}

/// Makes the messages. Where both neighbours along an axis are one rank, the message that it sends
/// first is for the far face.
void make_messages(halo_exchange::state& s) {
  const std::size_t size = size_of(s.asked.type);
  const auto add = [&](std::vector<message>& list, int peer, std::size_t at, const box& b) {
    if (peer >= 0 && b.points() > 0) list.push_back({peer, s.at(at), b.points() * size});
  };
  for (std::size_t k = 0; k < s.faces.size(); ++k) {
    const face &f = s.faces[k], &far = s.faces[k ^ 1];
    add(s.sends, f.peer, f.at_give, f.give);
    add(s.receives, far.peer, far.at_take, far.take);
  }
  s.travel = s.transport->make_exchange(s.sends.size() + s.receives.size());
}

agreement agreement_of(const halo_exchange::state& s) {
  agreement a(*s.transport);
  a.on("halo", std::string_view("halo"))
      .on(s.ranks)
      .on("type", std::vector<index_t>{static_cast<index_t>(s.asked.type)})
      .on("before", s.asked.before)
      .on("after", s.asked.after)
      .on("periodic", s.asked.periodic);
  return a;
}

}  // namespace

halo_exchange::halo_exchange(const decomposition& g, const halo& h, communicator ranks) {
  try {
    auto s = std::unique_ptr<state>(new state{g, h, ranks.transport()});
    agreement_of(*s).reach([&] {
      s->where = make_backend(*s->transport);
      check_halo(*s);
    });
    const at_backend scope(*s->where);
    agreement(*s->transport).reach([&] {
      make_faces(*s);
      make_messages(*s);
    });
    state_ = std::move(s);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory, "a halo: host memory ran out");
  }
}

halo_exchange::~halo_exchange() {
  if (!state_) return;
  const std::shared_ptr<transport> by = state_->transport;
  const bool travelling = state_->field != nullptr;
  by->dispose(std::move(state_), travelling);
}
halo_exchange::halo_exchange(halo_exchange&&) noexcept = default;
halo_exchange& halo_exchange::operator=(halo_exchange&& other) noexcept {
  halo_exchange moved(std::move(other));
  std::swap(state_, moved.state_);
  return *this;
}

void halo_exchange::start(void* field, void* stream) {
  state& s = *state_;
  if (s.field != nullptr) refuse("start: the exchange before has not been finished");
  if (field == nullptr) refuse("field: is null");
  s.where->check_pointer("field", field);
  const at_backend scope(*s.where);
  const std::size_t size = size_of(s.asked.type);
  for (const face& f : s.faces) {
    if (f.peer >= 0) s.where->copy(packing(f.give, size, field, s.at(f.at_give)), size, stream);
  }
  s.travel->start(s.receives, s.sends, stream);
  s.field = field, s.stream = stream;
}

void halo_exchange::finish() {
  state& s = *state_;
  if (s.field == nullptr) refuse("finish: no exchange has been started");
  void* const field = std::exchange(s.field, nullptr);
  const at_backend scope(*s.where);
  s.travel->wait(s.stream);
  const std::size_t size = size_of(s.asked.type);
  for (const face& f : s.faces) {
    if (f.peer >= 0) s.where->copy(unpacking(f.take, size, s.at(f.at_take), field), size, s.stream);
  }
}

}  // namespace tridia::distributed
