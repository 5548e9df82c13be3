// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/backward.hpp"

#include "bind.hpp"
#include "request.hpp"

#include <array>
#include <optional>
#include <utility>

namespace tridia::python {
namespace {

constexpr int band_count = 3;  // dl, d, du

/// It is never destroyed: plans of a GPU would be freed after the driver has gone.
plan_cache<backward_plan>& backward_plans() {
  static auto* const cache = new plan_cache<backward_plan>(most_plans);
  return *cache;
}

/// Holds the arrays that gradients are written to; those of coefficients are absent where they are
/// not wanted.
struct gradient_arrays {
  std::array<std::optional<array>, band_count> bands;
  array rhs;

  gradient_arrays(nb::handle dl, nb::handle d, nb::handle du, nb::handle b) : rhs("to_b", b) {
    const char* const names[] = {"to_dl", "to_d", "to_du"};
    const nb::handle given[] = {dl, d, du};
    for (int k = 0; k < band_count; ++k) {
      if (!given[k].is_none()) bands[k].emplace(names[k], given[k]);
    }
  }
  [[nodiscard]] void* band(int k) const { return bands[k] ? bands[k]->data() : nullptr; }
};

void check_target(const array& a, const array& x, const place& w) {
  check_type(a, x.number_type(), "x");
  check_place(a, w);
  check_writable(a);
}

/// Returns strides for a gradient that is not wanted: a plan describes all, and those that are
/// summed alike take one pass.
std::vector<index_t> strides_like(const std::vector<index_t>* other, const solve_shape& s) {
  std::vector<index_t> strides(s.extents.size());
  index_t step = 1;
  for (std::size_t k = strides.size(); k-- > 0;) {
    const bool summed = other != nullptr && (*other)[k] == 0 && s.extents[k] > 1;
    strides[k] = summed ? 0 : step;
    step *= std::max<index_t>(s.extents[k], 1);
  }
  return strides;
}

backward_layout layout_of(const gradient_arrays& to, const array& g, const solve_shape& s) {
  const index_t off = s.extents[s.axis] - (s.short_off_diagonals ? 1 : 0);
  const index_t rows[] = {off, s.extents[s.axis], off};
  std::array<std::vector<index_t>, band_count> strides;
  const std::vector<index_t>* wanted = nullptr;
  for (int k = 0; k < band_count; ++k) {
    if (!to.bands[k]) continue;
    strides[k] = gradient_strides(*to.bands[k], s, rows[k]);
    wanted = &strides[k];
  }
  for (int k = 0; k < band_count; ++k) {
    if (!to.bands[k]) strides[k] = strides_like(wanted, s);
  }
  backward_layout l;
  l.dl_strides = std::move(strides[0]);
  l.d_strides = std::move(strides[1]);
  l.du_strides = std::move(strides[2]);
  // Arrays without elements may have strides of 0, which say that elements overlap.
  l.rhs_strides = to.rhs.bytes() == 0 ? strides_like(nullptr, s) : strides_of(to.rhs);
  l.g_strides = strides_of(g);
  return l;
}

plan_key key_of(const solve_shape& s, const request& r, const array& x,
                const std::vector<index_t>& x_strides, const backward_layout& l,
                cotangents convention, const place& w) {
  plan_key key = python::key_of(s, x.number_type(), r, x_strides, w);
  key.push_back(static_cast<index_t>(convention));
  for (const auto* part :
       {&l.dl_strides, &l.d_strides, &l.du_strides, &l.rhs_strides, &l.g_strides}) {
    key.insert(key.end(), part->begin(), part->end());
  }
  return key;
}

/// Returns the array that a gradient is written to: a new one for True, None for False.
nb::object target_of(nb::handle asked, nb::handle like, const array& a, const place& w) {
  if (asked.ptr() == Py_False) return nb::none();
  return asked.ptr() == Py_True ? new_array_like(w, like, a) : nb::borrow(asked);
}

/// Writes the gradients of a solve, and returns them. Nothing is raised for a zero pivot: its
/// gradients are NaN. Where the stream is None and Python code has to look at the arrays,
/// NotImplemented is returned.
nb::object backward(nb::handle dl, nb::handle d, nb::handle du, nb::handle x_, nb::handle g_,
                    nb::handle axis, nb::handle periodic, nb::handle pivoting, nb::handle transpose,
                    bool conjugate, nb::handle to_dl, nb::handle to_d, nb::handle to_du,
                    nb::handle to_b, nb::handle algorithm, nb::handle threads, bool cuda,
                    int device, nb::handle stream, nb::object empty) {
  const framework* const found = stream.is_none() ? framework_of({dl, d, du, g_, x_}, {}) : nullptr;
  if (stream.is_none() && found == nullptr) return nb::borrow(Py_NotImplemented);
  const array l("dl", dl), m("d", d), u("du", du), g("g", g_), x("x", x_);
  const place w = found != nullptr ? place_beside(x_, x, *found)
                                   : place_given(cuda ? backend::cuda : backend::cpu, device,
                                                 stream, std::move(empty));
  check_alike({&l, &m, &u, &g, &x}, w);
  const request r = request_of(axis, periodic, pivoting, transpose, algorithm, threads);
  const solve_shape s = broadcast(l, m, u, x, r.axis, r.periodic);
  const nb::tuple targets = nb::make_tuple(target_of(to_dl, dl, l, w), target_of(to_d, d, m, w),
                                           target_of(to_du, du, u, w), target_of(to_b, x_, x, w));
  const gradient_arrays to(targets[0], targets[1], targets[2], targets[3]);
  for (const array* a : {&x, &g, &to.rhs}) check_result_shape(*a, s.extents);
  check_target(to.rhs, x, w);
  for (const auto& band : to.bands) {
    if (band) check_target(*band, x, w);
  }
  const cotangents convention = conjugate ? cotangents::conjugate : cotangents::linear;
  const backward_layout layout = layout_of(to, g, s);
  const std::vector<index_t> x_strides = strides_of(x);
  const auto made = backward_plans().find(key_of(s, r, x, x_strides, layout, convention, w), [&] {
    const nb::gil_scoped_release released;
    return backward_plan(problem_of(s, x.number_type(), r, x_strides), options_of(r, w), convention,
                         layout);
  });
  const workspace memory(w, made->workspace_bytes(), nb::none());
  {
    const nb::gil_scoped_release released;
    made->execute(l.data(), m.data(), u.data(), x.data(), g.data(),
                  {to.band(0), to.band(1), to.band(2), to.rhs.data()},
                  {memory.data(), memory.bytes(), nullptr, w.stream});
  }
  return targets;
}

}  // namespace

void bind_backward(nb::module_& m) {
  using nb::arg;
  m.def("backward", &backward, arg("dl").none(), arg("d").none(), arg("du").none(), arg("x").none(),
        arg("g").none(), arg("axis").none(), arg("periodic").none(), arg("pivoting").none(),
        arg("transpose").none(), arg("conjugate"), arg("to_dl").none(), arg("to_d").none(),
        arg("to_du").none(), arg("to_b").none(), arg("algorithm").none(), arg("threads").none(),
        arg("cuda"), arg("device"), arg("stream").none(), arg("empty").none(),
        "This function writes the gradients of a solve with solution x, where g is the cotangent "
        "of x: that of b, and those of the diagonals that have an array to_..., summed over the "
        "axes along which that array has extent 1. True asks for a new array. `conjugate` says "
        "that gradients of complex numbers are PyTorch's; otherwise they are JAX's. It returns the "
        "arrays of dl, d, du and b.");
  m.def("cached_backward_plans", [] { return backward_plans().size(); });
  m.def("clear_backward_plans", [] { backward_plans().clear(); });
}

}  // namespace tridia::python
