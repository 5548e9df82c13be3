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
function(tridia_cuda_object target)
  tridia_cuda_flags(${target})
  target_sources(tridia PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

add_library(tridia_cuda_statuses OBJECT solver/cuda/statuses.cu)
tridia_cuda_object(tridia_cuda_statuses)
add_library(tridia_cuda_operators OBJECT compact/cuda/plain.cu)
tridia_cuda_object(tridia_cuda_operators)
add_library(tridia_cuda_lines OBJECT distributed/cuda/lines.cu)
tridia_cuda_object(tridia_cuda_lines)
foreach(entry "f32:float" "f64:double" "c64:core::complex<float>" "c128:core::complex<double>")
  string(REGEX MATCH "^([a-z0-9]+):(.*)$" _ "${entry}")
  set(target tridia_cuda_${CMAKE_MATCH_1})
  set(value "${CMAKE_MATCH_2}")
  add_library(${target} OBJECT
    solver/cuda/block_factor.cu
    solver/cuda/interleaved.cu
    solver/cuda/kernels.cu
    solver/cuda/onchip.cu
    solver/cuda/scan.cu
    solver/cuda/segments.cu
    solver/cuda/substitute.cu)
  target_compile_definitions(${target} PRIVATE "TRIDIA_VALUE=${value}"
                                               TRIDIA_INTERLEAVED=interleaved_${CMAKE_MATCH_1}
                                               TRIDIA_LAUNCHES=launches_${CMAKE_MATCH_1}
                                               TRIDIA_ONCHIP=onchip_${CMAKE_MATCH_1}
                                               TRIDIA_SCAN=scan_${CMAKE_MATCH_1}
                                               TRIDIA_SEGMENTS=segments_${CMAKE_MATCH_1}
                                               TRIDIA_SUBSTITUTE=substitute_${CMAKE_MATCH_1}
                                               TRIDIA_BLOCK_FACTOR=block_factor_${CMAKE_MATCH_1})
  tridia_cuda_object(${target})
endforeach()

# The papers' algorithms: real types.
foreach(entry "f32:float" "f64:double")
  string(REGEX MATCH "^([a-z0-9]+):(.*)$" _ "${entry}")
  set(target tridia_cuda_named_${CMAKE_MATCH_1})
  add_library(${target} OBJECT
    solver/cuda/cyclic.cu
    solver/cuda/hierarchical.cu
    solver/cuda/neato.cu
    solver/cuda/packed_cr.cu
    solver/cuda/thomas_batch.cu)
  target_compile_definitions(${target} PRIVATE "TRIDIA_VALUE=${CMAKE_MATCH_2}"
                                               TRIDIA_CYCLIC=cyclic_${CMAKE_MATCH_1}
                                               TRIDIA_HIERARCHICAL=hierarchical_${CMAKE_MATCH_1}
                                               TRIDIA_NEATO=neato_${CMAKE_MATCH_1}
                                               TRIDIA_PACKED=packed_${CMAKE_MATCH_1}
                                               TRIDIA_THOMAS=thomas_${CMAKE_MATCH_1})
  tridia_cuda_object(${target})
endforeach()

# The measurements that come with the library, as a header.
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/solver/cuda/shipped_tuning.txt text)
configure_file(solver/cuda/shipped_tuning.hpp.in
               ${CMAKE_CURRENT_BINARY_DIR}/generated/shipped_tuning.hpp @ONLY)
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/solver/cuda/shipped_tuning.txt)

target_sources(tridia PRIVATE
  compact/cuda/cuda.cpp
  compact/cuda/line_task.cpp
  distributed/cuda/backend.cpp
  distributed/cuda/part.cpp
  solver/cuda/cuda.cpp
  solver/cuda/cyclic.cpp
  solver/cuda/devices.cpp
  solver/cuda/factored_method.cpp
  solver/cuda/hierarchical.cpp
  solver/cuda/interleaved.cpp
  solver/cuda/line_scan.cpp
  solver/cuda/method.cpp
  solver/cuda/named_method.cpp
  solver/cuda/neato.cpp
  solver/cuda/onchip.cpp
  solver/cuda/one_call.cpp
  solver/cuda/packed_cr.cpp
  solver/cuda/scan.cpp
  solver/cuda/segments.cpp
  solver/cuda/substitute.cpp
  solver/cuda/tensor_maps.cpp
  solver/cuda/thomas_batch.cpp
  solver/cuda/tuned.cpp)
target_compile_definitions(tridia PRIVATE TRIDIA_HAS_CUDA)
target_link_libraries(tridia PRIVATE CUDA::cudart_static)
