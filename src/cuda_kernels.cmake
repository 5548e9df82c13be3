# The CUDA backend: kernels by nvcc, once for each value type; the rest by the host compiler.
# CMake 3.25 does not know C++20 for nvcc 13: the flag is passed as it is.
function(tridia_cuda_flags target)
  set_target_properties(${target} PROPERTIES CUDA_STANDARD_REQUIRED OFF CUDA_RUNTIME_LIBRARY Static)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -fmad=false>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                               ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
endfunction()

# Files of the library, as a target of their own.
function(tridia_cuda_object target)
  add_library(${target} OBJECT ${ARGN})
  tridia_cuda_flags(${target})
  target_sources(tridia PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

tridia_cuda_object(tridia_cuda_gpu gpu/compiled_capability.cu)
tridia_cuda_object(tridia_cuda_statuses solver/cuda/statuses.cu
                   solver/cuda/factored/copy_matrices.cu)
tridia_cuda_object(tridia_cuda_backward solver/cuda/backward/band_products.cu)
tridia_cuda_object(tridia_cuda_operators compact/cuda/plain.cu compact/cuda/short_lines.cu)
tridia_cuda_object(tridia_cuda_parts line_operator/cuda/split_scan.cu)
tridia_cuda_object(tridia_cuda_lines distributed/cuda/lines.cu)

set(tridia_cuda_value_f32 float)
set(tridia_cuda_value_f64 double)
set(tridia_cuda_value_c64 core::complex<float>)
set(tridia_cuda_value_c128 core::complex<double>)

# The same FILES once for each of TYPES, as object libraries PREFIX_TYPE: each instantiates for
# TRIDIA_VALUE what its header declares for any type, and so they are compiled beside each other.
function(tridia_cuda_kernels prefix)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "" "TYPES;FILES")
  foreach(type IN LISTS of_TYPES)
    tridia_cuda_object(${prefix}_${type} ${of_FILES})
    target_compile_definitions(${prefix}_${type}
                               PRIVATE "TRIDIA_VALUE=${tridia_cuda_value_${type}}")
  endforeach()
endfunction()

tridia_cuda_kernels(tridia_cuda
  TYPES f32 f64 c64 c128
  FILES
    distributed/cuda/fused_kernels.cu
    line_operator/cuda/scan.cu
    solver/cuda/factored/block_factor.cu
    solver/cuda/factored/substitute.cu
    solver/cuda/short_systems.cu
    solver/cuda/thread_per_system.cu
    solver/cuda/partition/interleaved.cu
    solver/cuda/partition/onchip.cu
    solver/cuda/partition/segments/segments.cu)

# Compact operators across GPUs: real types.
tridia_cuda_kernels(tridia_cuda_border_exchange TYPES f32 f64
  FILES line_operator/cuda/border_exchange.cu)

# The papers' algorithms: real types.
tridia_cuda_kernels(tridia_cuda_named
  TYPES f32 f64
  FILES
    solver/cuda/named/cyclic_reduction.cu
    solver/cuda/named/hierarchical.cu
    solver/cuda/named/neato.cu
    solver/cuda/named/packed_cr.cu
    solver/cuda/named/thomas_batch.cu)

# The measurements that come with the library, as a header.
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/solver/cuda/shipped_tuning.txt text)
configure_file(solver/cuda/shipped_tuning.hpp.in
               ${CMAKE_CURRENT_BINARY_DIR}/generated/shipped_tuning.hpp @ONLY)
target_include_directories(tridia PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/solver/cuda/shipped_tuning.txt)

target_sources(tridia PRIVATE
  compact/cuda/cuda.cpp
  compact/cuda/short_lines.cpp
  distributed/cuda/backend.cpp
  distributed/cuda/fused_lines.cpp
  distributed/cuda/local_rows.cpp
  gpu/devices.cpp
  gpu/device_limits.cpp
  gpu/tensor_layout.cpp
  gpu/tensor_map.cpp
  line_operator/cuda/scan_plan.cpp
  line_operator/cuda/line_scan.cpp
  line_operator/cuda/line_task.cpp
  line_operator/cuda/scan.cpp
  line_operator/cuda/scan_copies.cpp
  line_operator/cuda/split_scan.cpp
  solver/cuda/backward/band_launch.cpp
  solver/cuda/backward/solution_bands.cpp
  solver/cuda/broadcast.cpp
  solver/cuda/cuda.cpp
  solver/cuda/factored/factored_method.cpp
  solver/cuda/factored/factored_solver.cpp
  solver/cuda/factored/saved_matrices.cpp
  solver/cuda/factored/factored_scan.cpp
  solver/cuda/factored/substitute.cpp
  solver/cuda/method.cpp
  solver/cuda/named/cr.cpp
  solver/cuda/named/cr_pcr.cpp
  solver/cuda/named/crnbc.cpp
  solver/cuda/named/cyclic_reduction.cpp
  solver/cuda/named/hierarchical.cpp
  solver/cuda/named/neato.cpp
  solver/cuda/named/packed_cr.cpp
  solver/cuda/named/pcr.cpp
  solver/cuda/named/pcr_thomas.cpp
  solver/cuda/named/thomas_batch.cpp
  solver/cuda/one_call.cpp
  solver/cuda/partition/boxes.cpp
  solver/cuda/partition/interleaved.cpp
  solver/cuda/partition/onchip.cpp
  solver/cuda/partition/segments/segments.cpp
  solver/cuda/partition/tensor_maps.cpp
  solver/cuda/short_systems.cpp
  solver/cuda/tuned.cpp)
target_compile_definitions(tridia PRIVATE TRIDIA_HAS_CUDA)
target_link_libraries(tridia PRIVATE CUDA::cudart_static)
