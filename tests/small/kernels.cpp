// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "small/kernels.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <set>
#include <stdexcept>

#include "gpu/compiled_capability.hpp"
#include "solver/cuda/method.hpp"
#include "support/device_memory.hpp"

namespace tridia_test {
namespace {

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}
void check(CUresult result) {
  if (result != CUDA_SUCCESS) throw std::runtime_error("error " + std::to_string(result));
}

/// Returns a function of the driver, so that tests need not be linked with the driver's library.
template <class Function>
Function driver_function(const char* name, unsigned since) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) throw std::runtime_error(std::string("no ") + name);
  return reinterpret_cast<Function>(function);
}

/// Returns the mangled name of the kernel that a node of a graph launches.
std::string name_of(cudaGraphNode_t node) {
  static const auto parameters_of =
      driver_function<decltype(&cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams", 12000);
  static const auto name_of_function =
      driver_function<decltype(&cuFuncGetName)>("cuFuncGetName", 12030);
  static const auto name_of_kernel =
      driver_function<decltype(&cuKernelGetName)>("cuKernelGetName", 12030);
  CUDA_KERNEL_NODE_PARAMS parameters{};
  check(parameters_of(node, &parameters));
  const char* name = nullptr;
  if (parameters.func != nullptr) {
    check(name_of_function(&name, parameters.func));
  } else {
    check(name_of_kernel(&name, parameters.kern));
  }
  return name;
}

std::set<std::string> kernels_in(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count));
  std::set<std::string> names;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeKernel) names.insert(name_of(node));
  }
  return names;
}

std::set<std::string> launched(void* on, const std::function<void()>& work) {
  const auto stream = static_cast<cudaStream_t>(on);
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph));
  const std::set<std::string> names = kernels_in(graph);
  cudaGraphDestroy(graph);
  return names;
}

/// Returns whether a mangled name is that of a kernel. Names of an anonymous namespace have the
/// file in them; that of a header's kernels is the one that includes it.
bool is(const std::string& mangled, const kernel& k) {
  const std::string name = std::to_string(std::strlen(k.name)) + k.name;
  const std::string file = std::string("_") + k.file + "_cu_";
  return mangled.find(name) != std::string::npos &&
         (mangled.find(file) != std::string::npos || mangled.find("_cu_") == std::string::npos);
}

/// Returns all kernels that the test at hand has launched so far.
const std::set<std::string>& met_with(const std::set<std::string>& more) {
  static const ::testing::TestInfo* test = nullptr;
  static std::set<std::string> all;
  const auto* const now = ::testing::UnitTest::GetInstance()->current_test_info();
  if (test != now) all.clear();
  test = now;
  all.insert(more.begin(), more.end());
  return all;
}

std::string joined(const std::set<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  return all;
}

/// Says once what the kernels here were compiled for.
class compiled_for final : public ::testing::Environment {
 public:
  void SetUp() override {
    if (!have_gpu()) return;
    int capability = 0;
    check(tridia::gpu::compiled_capability(&capability));
    std::printf("kernels for compute capability %d.%d\n", capability / 10, capability % 10);
  }
};
[[maybe_unused]] ::testing::Environment* const compiled_for_said =
    ::testing::AddGlobalTestEnvironment(new compiled_for);

}  // namespace

bool have_clusters() {
  static const bool clusters = tridia::gpu::current_device_limits().clusters;
  return clusters;
}

void expect_kernels(void* stream, const std::vector<kernel>& expected,
                    const std::function<void()>& work) {
  const std::set<std::string> names = launched(stream, work);
  ::testing::Test::RecordProperty("kernels", joined(met_with(names)));
  if (!have_clusters()) return;
  for (const kernel& k : expected) {
    bool found = false;
    for (const std::string& name : names) found = found || is(name, k);
    EXPECT_TRUE(found) << k.file << ".cu: " << k.name << " is not among " << joined(names);
  }
}

}  // namespace tridia_test
