// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/tuning.hpp"

#include "c_api/convert.hpp"

namespace tridia::c_api {
namespace {

/// Holds a table that is never changed once plans have it: adding makes another one.
struct shared_table {
  std::shared_ptr<const tuning_table> table;
};

shared_table& table_of(const tridia_tuning* t) {
  return *static_cast<shared_table*>(find_handle(kind::tuning, t, "tuning"));
}

template <class Items>
auto& item(const Items& items, std::int64_t k, const char* name) {
  if (k >= 0 && static_cast<std::size_t>(k) < items.size())
    return items[static_cast<std::size_t>(k)];
  refuse(std::string(name) + ": " + std::to_string(k) + " is not below " +
         std::to_string(items.size()) + ", the count, or is below 0");
}

const tunable_kernel& kernel_at(int k) {
  const auto all = tunable_kernels();
  return item(all, k, "kernel");
}

tuning_entry as_cpp(const tridia_tuning_entry* e) {
  check_struct(e, "entry");
  need(e->kernel, "kernel");
  return {e->compute_capability,
          e->kernel,
          enumerator<value_type>(e->type, "type"),
          enumerator<pivoting>(e->pivoting, "pivoting"),
          e->interleaved != 0,
          e->rows,
          copied(e->values, e->value_count, "values", "value_count")};
}

tridia_tuning_entry as_c(const tuning_entry& e) {
  return {sizeof(tridia_tuning_entry),
          e.compute_capability,
          static_cast<int>(e.type),
          static_cast<int>(e.pivoting),
          e.interleaved ? 1 : 0,
          e.kernel.c_str(),
          e.rows,
          address_of(e.values),
          static_cast<std::int64_t>(e.values.size())};
}

}  // namespace

std::shared_ptr<const tuning_table> tuning_of(const tridia_tuning* t) { return table_of(t).table; }

}  // namespace tridia::c_api

using namespace tridia::c_api;

extern "C" {

tridia_result tridia_tuning_create(tridia_tuning** tuning) {
  return create<shared_table>(kind::tuning, tuning, "tuning", [] {
    return shared_table{std::make_shared<const tridia::tuning_table>()};
  });
}

tridia_result tridia_tuning_parse(const char* text, tridia_tuning** tuning) {
  return create<shared_table>(kind::tuning, tuning, "tuning", [&] {
    need(text, "text");
    return shared_table{
        std::make_shared<const tridia::tuning_table>(tridia::tuning_table::parse(text))};
  });
}

tridia_result tridia_tuning_destroy(tridia_tuning* tuning) {
  return destroy<shared_table>(kind::tuning, tuning, "tuning");
}

tridia_result tridia_tuning_add(tridia_tuning* tuning, const tridia_tuning_entry* entry) {
  return guarded([&] {
    shared_table& t = table_of(tuning);
    auto more = std::make_shared<tridia::tuning_table>(*t.table);
    more->add(as_cpp(entry));
    t.table = std::move(more);
  });
}

tridia_result tridia_tuning_count(const tridia_tuning* tuning, int64_t* count) {
  return guarded([&] { set(count, "count", table_of(tuning).table->entries().size()); });
}

tridia_result tridia_tuning_get(const tridia_tuning* tuning, int64_t k,
                                tridia_tuning_entry* entry) {
  return guarded([&] {
    const auto& entries = table_of(tuning).table->entries();
    check_struct(entry, "entry");
    *entry = as_c(item(entries, k, "k"));
  });
}

tridia_result tridia_tuning_text(const tridia_tuning* tuning, char* text, size_t size,
                                 size_t* needed) {
  return guarded([&] { copy_text(table_of(tuning).table->text(), text, size, needed); });
}

tridia_result tridia_tunable_kernel_count(int* count) {
  return guarded([&] { set(count, "count", tridia::tunable_kernels().size()); });
}

tridia_result tridia_tunable_kernel_name(int kernel, const char** name) {
  return guarded([&] { set(name, "name", kernel_at(kernel).name.data()); });
}

tridia_result tridia_tunable_parameter_count(int kernel, int* count) {
  return guarded([&] { set(count, "count", kernel_at(kernel).parameters.size()); });
}

tridia_result tridia_tunable_parameter(int kernel, int parameter, const char** name,
                                       const int** values, int* value_count) {
  return guarded([&] {
    const auto& p = item(kernel_at(kernel).parameters, parameter, "parameter");
    need(name, "name");
    need(values, "values");
    need(value_count, "value_count");
    *name = p.name.data();
    *values = p.values.data();
    *value_count = static_cast<int>(p.values.size());
  });
}

}  // extern "C"
