// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gtsv.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace tridia_bench {
namespace {

namespace fs = std::filesystem;

// This is the Fortran interface with 32-bit integers (MKL's default).
template <class T>
using fortran_gtsv = void (*)(const int* n, const int* nrhs, T* dl, T* d, T* du, T* b,
                              const int* ldb, int* info);

// A peer's functions are plain pointers, so the functions that dlsym found are stored here: [0]
// pivots.
template <class T>
std::array<fortran_gtsv<T>, 2> found{};

template <class T, int Which>
int call(std::int64_t n, T* dl, T* d, T* du, T* b) {
  const int rows = static_cast<int>(n), one = 1;
  int info = 0;
  found<T>[Which](&rows, &one, dl, d, du, b, &rows, &info);
  return info;
}

int call_many(std::int64_t n, std::int64_t count, double* dl, double* d, double* du, double* b) {
  const int rows = static_cast<int>(n), sides = static_cast<int>(count);
  int info = 0;
  found<double>[0](&rows, &sides, dl, d, du, b, &rows, &info);
  return info;
}

template <class F>
F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

template <class T, int Which>
gtsv_function<T> look_up(void* library, const char* name) {
  found<T>[Which] = symbol<fortran_gtsv<T>>(library, name);
  return found<T>[Which] != nullptr ? &call<T, Which> : nullptr;
}

// Finds libmkl_rt.so.* below a directory; the number at its end changes with the releases.
std::vector<std::string> candidates(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (auto it = fs::recursive_directory_iterator(
           directory, fs::directory_options::skip_permission_denied, ignored);
       it != fs::recursive_directory_iterator(); it.increment(ignored)) {
    if (it->path().filename().string().starts_with("libmkl_rt.so")) {
      paths.push_back(it->path().string());
    }
  }
  return paths;
}

std::vector<std::string> places(const std::string& directory) {
  if (!directory.empty()) return candidates(directory);
  std::vector<std::string> paths;
  for (const char* variable : {"MKLROOT", "VIRTUAL_ENV"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr) continue;
    for (const std::string& path : candidates(std::string(value) + "/lib")) paths.push_back(path);
  }
  for (const char* name : {"libmkl_rt.so.3", "libmkl_rt.so.2"}) paths.emplace_back(name);
  return paths;
}

}  // namespace

std::optional<mkl_peers> find_mkl(const std::string& directory) {
  for (const std::string& path : places(directory)) {
    // The library is never closed. Deep binding keeps its names apart from the LAPACK that is
    // linked in.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (library == nullptr) continue;
    const auto layer = symbol<int (*)(int)>(library, "MKL_Set_Threading_Layer");
    constexpr int sequential = 1;
    if (layer == nullptr || layer(sequential) != sequential) continue;

    mkl_peers peers;
    peers.gtsv.solver = "MKL gtsv";
    peers.gtsv.f32 = look_up<float, 0>(library, "sgtsv_");
    peers.gtsv.f64 = look_up<double, 0>(library, "dgtsv_");
    peers.gtsv.c128 = look_up<std::complex<double>, 0>(library, "zgtsv_");
    peers.dtsvb.solver = "MKL dtsvb";
    peers.dtsvb.pivots = false;
    peers.dtsvb.f32 = look_up<float, 1>(library, "sdtsvb_");
    peers.dtsvb.f64 = look_up<double, 1>(library, "ddtsvb_");
    peers.dtsvb.c128 = look_up<std::complex<double>, 1>(library, "zdtsvb_");
    if (peers.gtsv.f64 == nullptr) continue;
    peers.gtsv.many = &call_many;

    std::array<char, 256> text{};
    const auto version = symbol<void (*)(char*, int)>(library, "MKL_Get_Version_String");
    if (version != nullptr) version(text.data(), static_cast<int>(text.size()) - 1);
    peers.gtsv.version = std::string(text.data());
    peers.gtsv.version.erase(peers.gtsv.version.find_last_not_of(' ') + 1);
    peers.dtsvb.version = peers.gtsv.version;
    return peers;
  }
  return std::nullopt;
}

}  // namespace tridia_bench
