# tridia_nccl: NCCL for distributed fields in the memory of GPUs, where it is found beside CUDA. What
# it needs of the library is not exported, so that a shared library has it all within.
set(TRIDIA_HAS_NCCL OFF)
if(TRIDIA_HAS_CUDA AND NOT TRIDIA_NCCL STREQUAL "OFF")
  # Communicators that are split: 2.18.
  find_package(NCCL 2.18 QUIET)
  if(NCCL_FOUND)
    set(TRIDIA_HAS_NCCL ON)
  endif()
endif()
if(TRIDIA_NCCL STREQUAL "ON" AND NOT TRIDIA_HAS_NCCL)
  message(FATAL_ERROR "TRIDIA_NCCL is ON, but no NCCL from 2.18 on was found beside a CUDA backend: "
                      "install one, or set NCCL_ROOT")
endif()
message(STATUS "tridia: NCCL ${TRIDIA_HAS_NCCL}")
set(TRIDIA_HAS_NCCL ${TRIDIA_HAS_NCCL} PARENT_SCOPE)
if(NOT TRIDIA_HAS_NCCL)
  return()
endif()

# The kernel that carries messages between GPUs is compiled as all are.
tridia_cuda_object(tridia_cuda_messages distributed/cuda/carry.cu)

find_package(Threads REQUIRED)
add_library(tridia_nccl
  distributed/nccl/communicator.cpp
  distributed/nccl/nccl_transport.cpp
  distributed/nccl/peer_channels.cpp
  distributed/nccl/peer_memory.cpp)
add_library(tridia::nccl ALIAS tridia_nccl)
set_target_properties(tridia_nccl PROPERTIES
  EXPORT_NAME nccl INSTALL_RPATH "$ORIGIN" VERSION ${PROJECT_VERSION} SOVERSION ${soversion} CXX_VISIBILITY_PRESET default)
target_include_directories(tridia_nccl PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(tridia_nccl PUBLIC tridia NCCL::NCCL PRIVATE CUDA::cudart_static Threads::Threads)
tridia_warnings(tridia_nccl)
