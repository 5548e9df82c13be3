// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// tridia_cusparse.h beside cuSPARSE, on a GPU: solutions, memory, streams, graphs, host time.
#include <gtest/gtest.h>
#include <tridia_cusparse.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/device_memory.hpp"
#include "support/random.hpp"
#include "tridia/tridia.hpp"

namespace tridia_test {
namespace {

/// Holds the functions of one type, tridia's (`prefix` tridia_) or cuSPARSE's.
#define FUNCTIONS(name, prefix, letter)                                                         \
  struct name {                                                                                 \
    static constexpr auto gtsv2_size = prefix##cusparse##letter##gtsv2_bufferSizeExt;           \
    static constexpr auto gtsv2 = prefix##cusparse##letter##gtsv2;                              \
    static constexpr auto nopivot_size = prefix##cusparse##letter##gtsv2_nopivot_bufferSizeExt; \
    static constexpr auto nopivot = prefix##cusparse##letter##gtsv2_nopivot;                    \
    static constexpr auto strided_size =                                                        \
        prefix##cusparse##letter##gtsv2StridedBatch_bufferSizeExt;                              \
    static constexpr auto strided = prefix##cusparse##letter##gtsv2StridedBatch;                \
    static constexpr auto interleaved_size =                                                    \
        prefix##cusparse##letter##gtsvInterleavedBatch_bufferSizeExt;                           \
    static constexpr auto interleaved = prefix##cusparse##letter##gtsvInterleavedBatch;         \
  }
#define TYPE(V, letter, D)              \
  template <>                           \
  struct of_type<V> {                   \
    using device_value = D;             \
    FUNCTIONS(tridia, tridia_, letter); \
    FUNCTIONS(cusparse, , letter);      \
  }
template <class V>
struct of_type;
TYPE(float, S, float);
TYPE(double, D, double);
TYPE(std::complex<float>, C, cuComplex);
TYPE(std::complex<double>, Z, cuDoubleComplex);

template <class V>
using real_of = decltype(std::abs(V()));
template <class V>
constexpr double epsilon_of = std::numeric_limits<real_of<V>>::epsilon();

/// Names what is called. `algo` of gtsvInterleavedBatch is 0, 1 or 2.
enum class call { gtsv2, nopivot, strided, interleaved_0, interleaved_1, interleaved_2 };
constexpr call all_calls[] = {call::gtsv2,         call::nopivot,       call::strided,
                              call::interleaved_0, call::interleaved_1, call::interleaved_2};
const char* name(call c) {
  constexpr const char* names[] = {"gtsv2",
                                   "gtsv2_nopivot",
                                   "gtsv2StridedBatch",
                                   "gtsvInterleavedBatch 0",
                                   "gtsvInterleavedBatch 1",
                                   "gtsvInterleavedBatch 2"};
  return names[static_cast<int>(c)];
}
bool is_interleaved(call c) { return c >= call::interleaved_0; }
bool has_one_matrix(call c) { return c == call::gtsv2 || c == call::nopivot; }
/// Returns whether cuSPARSE is stable for every matrix.
bool cusparse_pivots(call c) {
  return c == call::gtsv2 || c == call::interleaved_1 || c == call::interleaved_2;
}

class handle {
 public:
  handle() {
    if (cusparseCreate(&h_) != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error("cusparseCreate");
  }
  ~handle() { cusparseDestroy(h_); }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  [[nodiscard]] cusparseHandle_t get() const { return h_; }

 private:
  cusparseHandle_t h_ = nullptr;
};

template <class V>
std::vector<V> numbers(index_t count, rng& random) {
  std::vector<V> all;
  all.reserve(static_cast<std::size_t>(count));
  for (index_t k = 0; k < count; ++k) {
    const wide w = draw_number(random, tridia::value_type_of<V>);
    if constexpr (std::is_floating_point_v<V>) {
      all.push_back(static_cast<V>(w.real()));
    } else {
      all.emplace_back(static_cast<real_of<V>>(w.real()), static_cast<real_of<V>>(w.imag()));
    }
  }
  return all;
}

/// Holds an array of the GPU.
template <class V>
class device_array {
 public:
  explicit device_array(const std::vector<V>& values)
      : count_(values.size()), memory_(allocate_on_device(std::max<std::size_t>(bytes(), 1))) {
    copy_to_device(memory_.get(), values.data(), bytes());
  }
  [[nodiscard]] typename of_type<V>::device_value* get() const {
    return reinterpret_cast<typename of_type<V>::device_value*>(memory_.get());
  }
  [[nodiscard]] std::vector<V> values() const {
    std::vector<V> all(count_);
    copy_to_host(all.data(), memory_.get(), bytes());
    return all;
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(V); }
  std::size_t count_;
  device_bytes memory_;
};

/// Describes systems, and holds their arrays as a call takes them.
template <class V>
struct systems {
  call of;
  int m, count, stride;  // stride: ldb, or batchStride
  std::vector<V> dl, d, du, x;

  /// Returns where row i of system (or right-hand side) k is in x, and its row of the matrix.
  [[nodiscard]] std::size_t at(int k, int i) const {
    return static_cast<std::size_t>(is_interleaved(of) ? index_t{i} * count + k
                                                       : index_t{k} * stride + i);
  }
  [[nodiscard]] std::size_t row(int k, int i) const {
    return has_one_matrix(of) ? static_cast<std::size_t>(i) : at(k, i);
  }

  systems(call c, int rows, int columns, int padding, bool dominant, rng& random)
      : of(c), m(rows), count(columns), stride(rows + (is_interleaved(c) ? 0 : padding)) {
    const index_t of_x = is_interleaved(c) ? index_t{m} * count : index_t{stride} * count;
    const index_t of_matrix = has_one_matrix(c) ? m : of_x;
    dl = numbers<V>(of_matrix, random);
    d = numbers<V>(of_matrix, random);
    du = numbers<V>(of_matrix, random);
    x = numbers<V>(of_x, random);
    if (dominant) {
      for (V& v : d) v += V(4);
    }
    for (int k = 0; k < (has_one_matrix(c) ? 1 : count); ++k) {
      dl[row(k, 0)] = V(0), du[row(k, m - 1)] = V(0);  // as cuSPARSE wants them
    }
  }

  /// Returns the largest |b - A x| over |A| |x| + |b|, by rows' maxima, of systems k.
  [[nodiscard]] double error(int k, const std::vector<V>& b) const {
    using W = std::complex<long double>;
    long double residual = 0, matrix = 0, solution = 0, right = 0;
    for (int i = 0; i < m; ++i) {
      const W l(dl[row(k, i)]), c(d[row(k, i)]), u(du[row(k, i)]);
      W r = W(b[at(k, i)]) - c * W(x[at(k, i)]);
      if (i > 0) r -= l * W(x[at(k, i - 1)]);
      if (i + 1 < m) r -= u * W(x[at(k, i + 1)]);
      const long double size = std::abs(r);
      if (!(size <= residual)) residual = size;  // NaN stays
      matrix = std::max(matrix, std::abs(l) + std::abs(c) + std::abs(u));
      solution = std::max(solution, std::abs(W(x[at(k, i)])));
      right = std::max(right, std::abs(W(b[at(k, i)])));
    }
    return static_cast<double>(residual / (matrix * solution + right));
  }
};

/// Solves by the functions F; returns the status, and leaves the solution in s.x. Everything else
/// in the arrays is compared if they are to stay.
template <class F, class V>
cusparseStatus_t solve(cusparseHandle_t h, systems<V>& s, bool stays) {
  const device_array<V> dl(s.dl), d(s.d), du(s.du), x(s.x);
  std::size_t bytes = 0;
  const auto sized = [&]() -> cusparseStatus_t {
    if (s.of == call::gtsv2)
      return F::gtsv2_size(h, s.m, s.count, dl.get(), d.get(), du.get(), x.get(), s.stride, &bytes);
    if (s.of == call::nopivot)
      return F::nopivot_size(h, s.m, s.count, dl.get(), d.get(), du.get(), x.get(), s.stride,
                             &bytes);
    if (s.of == call::strided)
      return F::strided_size(h, s.m, dl.get(), d.get(), du.get(), x.get(), s.count, s.stride,
                             &bytes);
    const int algo = static_cast<int>(s.of) - static_cast<int>(call::interleaved_0);
    return F::interleaved_size(h, algo, s.m, dl.get(), d.get(), du.get(), x.get(), s.count, &bytes);
  };
  if (const cusparseStatus_t status = sized(); status != CUSPARSE_STATUS_SUCCESS) return status;
  const device_bytes buffer = allocate_on_device(std::max<std::size_t>(bytes, 1));
  const auto solved = [&]() -> cusparseStatus_t {
    if (s.of == call::gtsv2)
      return F::gtsv2(h, s.m, s.count, dl.get(), d.get(), du.get(), x.get(), s.stride,
                      buffer.get());
    if (s.of == call::nopivot)
      return F::nopivot(h, s.m, s.count, dl.get(), d.get(), du.get(), x.get(), s.stride,
                        buffer.get());
    if (s.of == call::strided)
      return F::strided(h, s.m, dl.get(), d.get(), du.get(), x.get(), s.count, s.stride,
                        buffer.get());
    const int algo = static_cast<int>(s.of) - static_cast<int>(call::interleaved_0);
    return F::interleaved(h, algo, s.m, dl.get(), d.get(), du.get(), x.get(), s.count,
                          buffer.get());
  };
  if (const cusparseStatus_t status = solved(); status != CUSPARSE_STATUS_SUCCESS) return status;
  cudaStream_t stream = nullptr;
  cusparseGetStream(h, &stream);
  wait_for(stream);
  s.x = x.values();
  if (stays) {
    const auto same = [](const std::vector<V>& a, const std::vector<V>& b) {
      return std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0;
    };
    EXPECT_TRUE(same(dl.values(), s.dl) && same(d.values(), s.d) && same(du.values(), s.du))
        << name(s.of) << " changes coefficients";
  }
  return CUSPARSE_STATUS_SUCCESS;
}

template <class V>
class BesideCusparse : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP();
    handle_ = std::make_unique<handle>();
  }
  [[nodiscard]] cusparseHandle_t h() const { return handle_->get(); }
  std::unique_ptr<handle> handle_;
};
using value_types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BesideCusparse, value_types);

constexpr int lengths[] = {3, 7, 18, 61, 122, 253, 514, 1025};

// The backward error of elimination with partial pivoting is a few epsilons, whatever the matrix.
// Where cuSPARSE pivots, it may not be better than ours by more than rounding; where it does not,
// ours is bounded all the same. On dominant matrices, of condition 3 and less, the solutions
// themselves agree.
constexpr double kBackward = 40, kForward = 100;

TYPED_TEST(BesideCusparse, SolvesAsWell) {
  using V = TypeParam;
  rng random = random_for("BesideCusparse");
  int compared = 0;
  for (const call c : all_calls) {
    double worst = 0, worst_of_cusparse = 0, farthest = 0;
    for (const bool dominant : {false, true}) {
      for (const int m : lengths) {
        for (const int padding : {0, 5}) {
          if (padding > 0 && is_interleaved(c)) continue;
          for (const int count : {1, 37}) {
            systems<V> ours(c, m, count, padding, dominant, random);
            const std::vector<V> b = ours.x;
            systems<V> theirs = ours;
            ASSERT_EQ(solve<typename of_type<V>::tridia>(this->h(), ours, true),
                      CUSPARSE_STATUS_SUCCESS)
                << name(c) << ": " << tridia_last_error();
            ASSERT_EQ(solve<typename of_type<V>::cusparse>(this->h(), theirs, false),
                      CUSPARSE_STATUS_SUCCESS)
                << name(c) << " of cuSPARSE, " << m << " rows";
            for (int k = 0; k < count; ++k) {
              const double mine = ours.error(k, b) / epsilon_of<V>;
              const double its = theirs.error(k, b) / epsilon_of<V>;
              ASSERT_LE(mine, kBackward) << name(c) << ", " << m << " rows, system " << k;
              worst = std::max(worst, mine);
              if (!(its <= worst_of_cusparse)) worst_of_cusparse = its;
              if (!dominant) continue;
              double most = 0, difference = 0;
              for (int i = 0; i < m; ++i) {
                const V p = ours.x[ours.at(k, i)], q = theirs.x[ours.at(k, i)];
                most = std::max<double>(most, std::abs(p));
                difference = std::max<double>(difference, std::abs(p - q));
              }
              farthest = std::max(farthest, difference / most / epsilon_of<V>);
              ASSERT_LE(difference, kForward * epsilon_of<V> * most) << name(c) << ", " << m;
            }
            // What lies between the systems stays.
            for (std::size_t k = 0; padding > 0 && k < b.size(); ++k) {
              if (static_cast<int>(k) % ours.stride < m) continue;
              ASSERT_EQ(std::memcmp(&ours.x[k], &b[k], sizeof(V)), 0) << name(c) << ", " << m;
            }
            ++compared;
          }
        }
      }
    }
    std::printf(
        "%-24s largest backward error %5.1f epsilons, of cuSPARSE %.3g%s; largest "
        "difference on dominant systems %.1f epsilons\n",
        name(c), worst, worst_of_cusparse, cusparse_pivots(c) ? "" : " (does not pivot)", farthest);
  }
  EXPECT_EQ(compared, 3 * 2 * 8 * 2 * 2 + 3 * 2 * 8 * 2);
}

TYPED_TEST(BesideCusparse, NeverReadsTheOuterEntries) {
  using V = TypeParam;
  rng random = random_for("BesideCusparseOuter");
  for (const call c : all_calls) {
    systems<V> zeros(c, 61, 9, 3, true, random);
    systems<V> nans = zeros;
    for (int k = 0; k < 9; ++k) {
      nans.dl[nans.row(k, 0)] = nans.du[nans.row(k, 60)] =
          V(std::numeric_limits<real_of<V>>::quiet_NaN());
    }
    ASSERT_EQ(solve<typename of_type<V>::tridia>(this->h(), zeros, true), CUSPARSE_STATUS_SUCCESS);
    ASSERT_EQ(solve<typename of_type<V>::tridia>(this->h(), nans, true), CUSPARSE_STATUS_SUCCESS);
    EXPECT_EQ(std::memcmp(zeros.x.data(), nans.x.data(), zeros.x.size() * sizeof(V)), 0) << name(c);
  }
}

TYPED_TEST(BesideCusparse, ASingularSystemSpoilsNoOther) {
  using V = TypeParam;
  rng random = random_for("BesideCusparseSingular");
  for (const call c : {call::strided, call::interleaved_0}) {
    systems<V> s(c, 18, 12, 2, true, random);
    for (int i = 0; i < 18; ++i) s.dl[s.row(5, i)] = s.d[s.row(5, i)] = s.du[s.row(5, i)] = V(0);
    const std::vector<V> b = s.x;
    ASSERT_EQ(solve<typename of_type<V>::tridia>(this->h(), s, true), CUSPARSE_STATUS_SUCCESS);
    for (int k = 0; k < 12; ++k) {
      if (k == 5) {
        for (int i = 0; i < 18; ++i) EXPECT_TRUE(s.x[s.at(k, i)] != s.x[s.at(k, i)]);
      } else {
        EXPECT_LE(s.error(k, b), kBackward * epsilon_of<V>) << name(c);
      }
    }
  }
}

TYPED_TEST(BesideCusparse, TakesShortSystems) {
  using V = TypeParam;
  rng random = random_for("BesideCusparseShort");
  for (const call c : all_calls) {
    for (const int m : {1, 2}) {
      systems<V> s(c, m, 5, 1, false, random);
      const std::vector<V> b = s.x;
      ASSERT_EQ(solve<typename of_type<V>::tridia>(this->h(), s, true), CUSPARSE_STATUS_SUCCESS);
      for (int k = 0; k < 5; ++k) EXPECT_LE(s.error(k, b), kBackward * epsilon_of<V>) << name(c);
    }
  }
}

class CusparseCall : public ::testing::Test {
 protected:
  static constexpr int m = 61, count = 33;
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP();
    handle_ = std::make_unique<handle>();
    stream_ = make_stream();
    cusparseSetStream(h(), static_cast<cudaStream_t>(stream_.get()));
  }
  [[nodiscard]] cusparseHandle_t h() const { return handle_->get(); }
  std::unique_ptr<handle> handle_;
  stream_handle stream_{nullptr, nullptr};
};

TEST_F(CusparseCall, IsCapturedInTheStreamOfTheHandle) {
  rng random = random_for("CusparseCaptured");
  systems<double> s(call::strided, m, count, 0, false, random);
  const std::vector<double> b = s.x;
  const device_array<double> dl(s.dl), d(s.d), du(s.du), x(s.x);
  std::size_t bytes = 0;
  ASSERT_EQ(tridia_cusparseDgtsv2StridedBatch_bufferSizeExt(h(), m, dl.get(), d.get(), du.get(),
                                                            x.get(), count, m, &bytes),
            CUSPARSE_STATUS_SUCCESS);
  const device_bytes buffer = allocate_on_device(std::max<std::size_t>(bytes, 1));
  cusparseStatus_t status = CUSPARSE_STATUS_INTERNAL_ERROR;
  captured_graph graph(stream_.get(), [&] {
    status = tridia_cusparseDgtsv2StridedBatch(h(), m, dl.get(), d.get(), du.get(), x.get(), count,
                                               m, buffer.get());
  });
  ASSERT_EQ(status, CUSPARSE_STATUS_SUCCESS) << tridia_last_error();
  EXPECT_EQ(x.values(), b) << "captured, not run";
  graph.replay();
  wait_for(stream_.get());
  s.x = x.values();
  for (int k = 0; k < count; ++k) EXPECT_LE(s.error(k, b), kBackward * epsilon_of<double>);
}

TEST_F(CusparseCall, RefusesMemoryOfTheHostAndNoBuffer) {
  rng random = random_for("CusparseRefused");
  // So few and long systems need a workspace.
  systems<double> s(call::strided, 100'000, 2, 0, true, random);
  const device_array<double> dl(s.dl), d(s.d), du(s.du), x(s.x);
  std::size_t bytes = 0;
  ASSERT_EQ(tridia_cusparseDgtsv2StridedBatch_bufferSizeExt(h(), s.m, dl.get(), d.get(), du.get(),
                                                            x.get(), 2, s.m, &bytes),
            CUSPARSE_STATUS_SUCCESS);
  ASSERT_GT(bytes, 0U);
  EXPECT_EQ(tridia_cusparseDgtsv2StridedBatch(h(), s.m, dl.get(), d.get(), du.get(), x.get(), 2,
                                              s.m, nullptr),
            CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(std::string(tridia_last_error()).rfind("workspace:", 0), 0U) << tridia_last_error();
  std::vector<double> here(bytes / sizeof(double) + 1);
  EXPECT_EQ(tridia_cusparseDgtsv2StridedBatch(h(), s.m, dl.get(), d.get(), du.get(), x.get(), 2,
                                              s.m, here.data()),
            CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(tridia_cusparseDgtsv2StridedBatch(h(), s.m, s.dl.data(), d.get(), du.get(), x.get(), 2,
                                              s.m, nullptr),
            CUSPARSE_STATUS_INVALID_VALUE);
  wait_for(stream_.get());
  EXPECT_EQ(x.values(), s.x) << "a refused call writes nothing";
}

/// Returns the nanoseconds that a call takes on the host, at best of some runs of few calls, so
/// that the GPU's queue does not fill.
template <class F>
double host_ns(void* stream, F&& f) {
  double best = 1e30;
  for (int run = 0; run < 50; ++run) {
    constexpr int calls = 20;
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) f();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    wait_for(stream);
    best = std::min(best, took.count() / calls);
  }
  return best;
}

TEST_F(CusparseCall, KeepsItsPlans) {
  rng random = random_for("CusparseHostTime");
  const systems<double> s(call::strided, m, count, 0, true, random);
  const device_array<double> dl(s.dl), d(s.d), du(s.du), x(s.x);
  std::size_t bytes = 0, theirs = 0;
  ASSERT_EQ(tridia_cusparseDgtsv2StridedBatch_bufferSizeExt(h(), m, dl.get(), d.get(), du.get(),
                                                            x.get(), count, m, &bytes),
            CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseDgtsv2StridedBatch_bufferSizeExt(h(), m, dl.get(), d.get(), du.get(), x.get(),
                                                     count, m, &theirs),
            CUSPARSE_STATUS_SUCCESS);
  const device_bytes buffer = allocate_on_device(std::max<std::size_t>({bytes, theirs, 1}));
  tridia::problem p;
  p.extents = {count, m};
  const tridia::options on_gpu{.backend = tridia::backend::cuda};
  const tridia::plan plan(p, on_gpu);
  const double kept = host_ns(stream_.get(), [&] {
    tridia_cusparseDgtsv2StridedBatch(h(), m, dl.get(), d.get(), du.get(), x.get(), count, m,
                                      buffer.get());
  });
  const double executed = host_ns(stream_.get(), [&] {
    plan.execute(dl.get(), d.get(), du.get(), x.get(), x.get(),
                 {.workspace = buffer.get(),
                  .workspace_bytes = plan.workspace_bytes(),
                  .stream = stream_.get()});
  });
  const double made = host_ns(stream_.get(), [&] { const tridia::plan each(p, on_gpu); });
  const double cusparse = host_ns(stream_.get(), [&] {
    cusparseDgtsv2StridedBatch(h(), m, dl.get(), d.get(), du.get(), x.get(), count, m,
                               buffer.get());
  });
  std::printf(
      "host time of a call: %.2f us; of plan::execute alone %.2f us, of making the plan "
      "%.2f us, of cuSPARSE's call %.2f us\n",
      kept / 1e3, executed / 1e3, made / 1e3, cusparse / 1e3);
  EXPECT_LT(kept, executed + made) << "a call makes a plan";
}

}  // namespace
}  // namespace tridia_test
