// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/scheme.hpp"

#include "c_api/convert.hpp"
#include "c_api/schemes.hpp"

namespace tridia::c_api {
namespace {

compact_row as_cpp(const tridia_compact_row& r) {
  return {r.sub, r.diag, r.sup, r.first,
          copied(r.weights, r.weight_count, "weights", "weight_count")};
}

tridia_compact_row as_c(const compact_row& r) {
  return {r.sub, r.diag, r.sup, address_of(r.weights), static_cast<int>(r.weights.size()), r.first};
}

std::vector<compact_row> rows_of(const tridia_compact_row* rows, int count, const char* name,
                                 const char* count_name) {
  check_array(rows, count, name, count_name);
  std::vector<compact_row> all;
  for (int k = 0; k < count; ++k) all.push_back(as_cpp(rows[k]));
  return all;
}

template <class Items>
auto& item(const Items& items, int k) {
  if (k >= 0 && static_cast<std::size_t>(k) < items.size())
    return items[static_cast<std::size_t>(k)];
  refuse("k: " + std::to_string(k) + " is not the number of a row; there are " +
         std::to_string(items.size()));
}

struct kind_of_scheme {
  tridia::quantity quantity;
  tridia::staggering staggering;
};

kind_of_scheme kind_from(int q, int s) {
  return {enumerator<quantity>(q, "quantity"), enumerator<staggering>(s, "staggering")};
}

void set_pair(double* to, const char* name, std::complex<double> value) {
  need(to, name);
  to[0] = value.real();
  to[1] = value.imag();
}

}  // namespace

const scheme& scheme_of(const tridia_scheme* s) {
  return *static_cast<const scheme*>(find_handle(kind::scheme, s, "scheme"));
}

const closure& closure_of(const tridia_closure* c) {
  return *static_cast<const closure*>(find_handle(kind::closure, c, "closure"));
}

}  // namespace tridia::c_api

using namespace tridia::c_api;
using tridia::closure;
using tridia::refuse;
using tridia::scheme;

extern "C" {

tridia_result tridia_row_order(const tridia_compact_row* row, int quantity, int staggering,
                               int* order) {
  return guarded([&] {
    need(row, "row");
    need(order, "order");
    const auto [q, s] = kind_from(quantity, staggering);
    *order = tridia::order_of(as_cpp(*row), q, s);
  });
}

tridia_result tridia_scheme_names(int quantity, int staggering, char* text, size_t size,
                                  size_t* needed) {
  return guarded([&] {
    const auto [q, s] = kind_from(quantity, staggering);
    std::string all;
    for (const std::string& name : tridia::scheme_names(q, s)) all += name + '\n';
    copy_text(all, text, size, needed);
  });
}

tridia_result tridia_scheme_find(int quantity, const char* name, int staggering, double alpha_f,
                                 tridia_scheme** s) {
  return create<scheme>(kind::scheme, s, "scheme", [&] {
    need(name, "name");
    const auto [q, where] = kind_from(quantity, staggering);
    return tridia::find_scheme(q, name, where, alpha_f);
  });
}

tridia_result tridia_scheme_create(const char* name, int quantity, int staggering,
                                   const tridia_compact_row* interior, tridia_scheme** s) {
  return create<scheme>(kind::scheme, s, "scheme", [&] {
    need(name, "name");
    need(interior, "interior");
    const auto [q, where] = kind_from(quantity, staggering);
    return scheme(name, q, where, as_cpp(*interior));
  });
}

tridia_result tridia_scheme_destroy(tridia_scheme* s) {
  return destroy<scheme>(kind::scheme, s, "scheme");
}

tridia_result tridia_scheme_name(const tridia_scheme* s, const char** name) {
  return guarded([&] { set(name, "name", scheme_of(s).name().c_str()); });
}

tridia_result tridia_scheme_quantity(const tridia_scheme* s, int* quantity) {
  return guarded([&] { set(quantity, "quantity", scheme_of(s).quantity()); });
}

tridia_result tridia_scheme_staggering(const tridia_scheme* s, int* staggering) {
  return guarded([&] { set(staggering, "staggering", scheme_of(s).staggering()); });
}

tridia_result tridia_scheme_order(const tridia_scheme* s, int* order) {
  return guarded([&] { set(order, "order", scheme_of(s).order()); });
}

tridia_result tridia_scheme_interior(const tridia_scheme* s, tridia_compact_row* row) {
  return guarded([&] { set(row, "row", as_c(scheme_of(s).interior())); });
}

tridia_result tridia_scheme_symbol(const tridia_scheme* s, double w, double symbol[2]) {
  return guarded([&] { set_pair(symbol, "symbol", scheme_of(s).symbol(w)); });
}

tridia_result tridia_scheme_modified_wavenumber(const tridia_scheme* s, double w,
                                                double wavenumber[2]) {
  return guarded([&] { set_pair(wavenumber, "wavenumber", scheme_of(s).modified_wavenumber(w)); });
}

tridia_result tridia_closure_find(const tridia_scheme* s, const char* name, tridia_closure** c) {
  return create<closure>(kind::closure, c, "closure", [&] {
    const scheme& of = scheme_of(s);
    need(name, "name");
    return tridia::find_closure(of, name);
  });
}

tridia_result tridia_closure_default(const tridia_scheme* s, tridia_closure** c) {
  return create<closure>(kind::closure, c, "closure",
                         [&] { return tridia::default_closure(scheme_of(s)); });
}

tridia_result tridia_closure_create(const char* name, int quantity, int staggering,
                                    const tridia_compact_row* head, int head_count,
                                    const tridia_compact_row* tail, int tail_count,
                                    tridia_closure** c) {
  return create<closure>(kind::closure, c, "closure", [&] {
    need(name, "name");
    const auto [q, where] = kind_from(quantity, staggering);
    auto first = rows_of(head, head_count, "head", "head_count");
    auto last = rows_of(tail, tail_count, "tail", "tail_count");
    return tail_count == 0 ? closure(name, q, where, std::move(first))
                           : closure(name, q, where, std::move(first), std::move(last));
  });
}

tridia_result tridia_closure_destroy(tridia_closure* c) {
  return destroy<closure>(kind::closure, c, "closure");
}

tridia_result tridia_closure_name(const tridia_closure* c, const char** name) {
  return guarded([&] { set(name, "name", closure_of(c).name().c_str()); });
}

tridia_result tridia_closure_quantity(const tridia_closure* c, int* quantity) {
  return guarded([&] { set(quantity, "quantity", closure_of(c).quantity()); });
}

tridia_result tridia_closure_staggering(const tridia_closure* c, int* staggering) {
  return guarded([&] { set(staggering, "staggering", closure_of(c).staggering()); });
}

tridia_result tridia_closure_counts(const tridia_closure* c, int* head_count, int* tail_count) {
  return guarded([&] {
    const closure& of = closure_of(c);
    need(head_count, "head_count");
    need(tail_count, "tail_count");
    *head_count = static_cast<int>(of.head().size());
    *tail_count = static_cast<int>(of.tail().size());
  });
}

tridia_result tridia_closure_head(const tridia_closure* c, int k, tridia_compact_row* row) {
  return guarded([&] { set(row, "row", as_c(item(closure_of(c).head(), k))); });
}

tridia_result tridia_closure_tail(const tridia_closure* c, int k, tridia_compact_row* row) {
  return guarded([&] { set(row, "row", as_c(item(closure_of(c).tail(), k))); });
}

tridia_result tridia_closure_order(const tridia_closure* c, int k, int* order) {
  return guarded([&] {
    const auto orders = closure_of(c).orders();
    set(order, "order", item(orders, k));
  });
}

tridia_result tridia_closure_row_count(const tridia_scheme* s, int* row_count) {
  return guarded(
      [&] { set(row_count, "row_count", tridia::closure_choices(scheme_of(s)).size()); });
}

tridia_result tridia_closure_choices(const tridia_scheme* s, int k, int* orders, int capacity,
                                     int* count) {
  return guarded([&] {
    const auto all = tridia::closure_choices(scheme_of(s));
    const std::vector<int>& known = item(all, k);
    check_array(orders, capacity, "orders", "capacity");
    if (orders == nullptr) need(count, "count");
    if (orders != nullptr && static_cast<std::size_t>(capacity) < known.size()) {
      refuse("capacity: is " + std::to_string(capacity) + ", but there are " +
             std::to_string(known.size()) + " orders");
    }
    if (orders != nullptr) std::copy(known.begin(), known.end(), orders);
    if (count != nullptr) *count = static_cast<int>(known.size());
  });
}

tridia_result tridia_closure_warning(const tridia_scheme* s, const tridia_closure* c, char* text,
                                     size_t size, size_t* needed) {
  return guarded(
      [&] { copy_text(tridia::closure_warning(scheme_of(s), closure_of(c)), text, size, needed); });
}

}  // extern "C"
