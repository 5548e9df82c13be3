// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/devices.hpp"

#include "gpu/check.hpp"
#include "gpu/driver.hpp"

#include <optional>

namespace tridia::gpu {
namespace {

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

/// Says whose memory an address is of.
struct memory_home {
  CUmemorytype kind{};
  int device = -1;
};

/// Asks the driver where an address lies, or returns nothing. Every execution asks this for each of
/// its arrays, and the driver answers sooner than the runtime, whose answer is needed only where
/// this one is not enough. An address that the driver does not know is no error, and of no kind.
std::optional<memory_home> home_of(const void* p) {
  static const auto ask =
      driver_function<decltype(&cuPointerGetAttributes)>("cuPointerGetAttributes");
  if (ask == nullptr) return {};
  memory_home home;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* answers[] = {&home.kind, &home.device};
  const CUresult result = ask(2, asked, answers, reinterpret_cast<CUdeviceptr>(p));
  return result == CUDA_SUCCESS ? std::optional(home) : std::nullopt;
}

}  // namespace

void describe(system_info& info) {
  info.cuda_built = true;
  info.cuda_runtime =
      std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  for (int k = 0; k < device_count(); ++k) {
    cudaDeviceProp p{};
    if (cudaGetDeviceProperties(&p, k) != cudaSuccess) continue;
    info.cuda_devices.push_back(
        {k, p.name, p.major, p.minor, p.totalGlobalMem, p.multiProcessorCount});
  }
}

int find_device(int asked) {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw error(errc::unsupported,
                std::string("backend: cuda was asked for, but there is no usable device (") +
                    (result == cudaSuccess ? "none is visible" : cudaGetErrorString(result)) + ")");
  }
  if (asked >= count || asked < -1) {
    throw error(errc::invalid_argument, "device: " + std::to_string(asked) +
                                            " was asked for, but there are " +
                                            std::to_string(count) + " devices");
  }
  int device = asked;
  if (asked == -1) check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

void check_device_pointer(const char* name, const void* p, int device) {
  const auto home = home_of(p);
  if (home && home->kind == CU_MEMORYTYPE_DEVICE && home->device == device) return;
  cudaPointerAttributes a{};
  check(cudaPointerGetAttributes(&a, p), "cudaPointerGetAttributes");
  const bool here = a.type == cudaMemoryTypeManaged || a.type == cudaMemoryTypeHost ||
                    (a.type == cudaMemoryTypeDevice && a.device == device);
  if (here) return;
  throw error(errc::wrong_device,
              std::string(name) + ": is memory of " +
                  (a.type == cudaMemoryTypeDevice ? "device " + std::to_string(a.device)
                                                  : std::string("the host")) +
                  ", but the plan is for CUDA device " + std::to_string(device));
}

void check_host_pointer(const char* name, const void* p) {
  static const bool has_device = device_count() > 0;
  if (!has_device) return;
  const auto home = home_of(p);
  if (home && home->kind != CU_MEMORYTYPE_DEVICE) return;
  cudaPointerAttributes a{};
  if (cudaPointerGetAttributes(&a, p) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  if (a.type != cudaMemoryTypeDevice) return;
  throw error(errc::wrong_device, std::string(name) + ": is memory of CUDA device " +
                                      std::to_string(a.device) + ", but the plan runs on the CPU");
}

}  // namespace tridia::gpu
