// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "arena.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <complex>

namespace tridia_bench {
namespace {

using clock = std::chrono::steady_clock;

double ms_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

/// Holds the arrays of one type.
class typed_arrays {
 public:
  virtual ~typed_arrays() = default;
  [[nodiscard]] virtual cell_memory memory(matrix m) const = 0;
  virtual void poison(index_t elements) const = 0;
  [[nodiscard]] virtual double residual(const systems_spec& s) const = 0;
};

template <class T>
class arrays_of final : public typed_arrays {
 public:
  explicit arrays_of(const systems_spec& spec)
      : dominant_(spec), random_(with(spec, matrix::random)), x_(spec.rows()) {}

  [[nodiscard]] cell_memory memory(matrix m) const override {
    const systems<T>& s = of(m);
    return {s.dl.data(), s.d.data(), s.du.data(), s.rhs.data(),
            x_.data(),   nullptr,    nullptr,     nullptr};
  }
  void poison(index_t elements) const override {
    T* const x = x_.data();
#pragma omp parallel for schedule(static)
    for (index_t i = 0; i < elements; ++i) x[i] = tridia_bench::poison<T>();
  }
  [[nodiscard]] double residual(const systems_spec& s) const override {
    return of(s.matrix).residual(s, x_.data());
  }

 private:
  static systems_spec with(systems_spec s, matrix m) {
    s.matrix = m;
    return s;
  }
  [[nodiscard]] const systems<T>& of(matrix m) const {
    return m == matrix::random ? random_ : dominant_;
  }
  systems<T> dominant_, random_;
  host_array<T> x_;
};

class host_arena final : public arena {
 public:
  [[nodiscard]] tridia::backend backend() const override { return tridia::backend::cpu; }
  [[nodiscard]] machine_info machine() const override { return cpu_machine(); }
  [[nodiscard]] std::optional<int> threads() const override { return omp_get_max_threads(); }

  void load(tridia::value_type type, index_t elements, std::uint64_t seed) override {
    arrays_.reset();
    const systems_spec spec{.type = type, .n = 1, .batch = elements, .seed = seed};
    switch (type) {
      case tridia::value_type::f32:
        arrays_ = std::make_unique<arrays_of<float>>(spec);
        break;
      case tridia::value_type::f64:
        arrays_ = std::make_unique<arrays_of<double>>(spec);
        break;
      case tridia::value_type::c64:
        arrays_ = std::make_unique<arrays_of<std::complex<float>>>(spec);
        break;
      case tridia::value_type::c128:
        arrays_ = std::make_unique<arrays_of<std::complex<double>>>(spec);
        break;
    }
  }
  cell_memory memory(matrix m, std::size_t workspace_bytes, std::size_t factors_bytes) override {
    cell_memory all = arrays_->memory(m);
    all.workspace = grown(workspace_, workspace_bytes);
    all.factors = grown(factors_, factors_bytes);
    return all;
  }
  void poison(index_t elements) override { arrays_->poison(elements); }
  double time(const std::function<void()>& work) override {
    const auto start = clock::now();
    work();
    return ms_since(start);
  }
  double residual(const systems_spec& s) override { return arrays_->residual(s); }

  copy_rate copy(int reads, std::size_t array_bytes, int repetitions) override {
    return measure_copies({.reads = reads,
                           .threads = omp_get_max_threads(),
                           .array_bytes = array_bytes,
                           .repetitions = repetitions})
        .front();
  }
  std::vector<double> empty_ms(int repetitions) override {
    std::vector<double> ms;
    int threads = 0;
    for (int k = 0; k < repetitions; ++k) {
      const auto start = clock::now();
#pragma omp parallel reduction(+ : threads)
      threads += 1;
      ms.push_back(ms_since(start));
    }
    std::sort(ms.begin(), ms.end());
    return ms;
  }

 private:
  static void* grown(host_array<char>& array, std::size_t bytes) {
    if (static_cast<std::size_t>(array.size()) < bytes) {
      array = {};
      array = host_array<char>(static_cast<index_t>(bytes));
      array.fill(0);
    }
    return array.data();
  }
  std::unique_ptr<typed_arrays> arrays_;
  host_array<char> workspace_, factors_;
};

}  // namespace

std::unique_ptr<arena> make_host_arena() { return std::make_unique<host_arena>(); }

}  // namespace tridia_bench
