# Finds nvcc, unless told not to, and sets TRIDIA_HAS_CUDA.
# Architectures: the user's CMAKE_CUDA_ARCHITECTURES > native where a GPU is visible > 80, 90, 100.
include(CheckLanguage)

set(TRIDIA_HAS_CUDA OFF)
if(TRIDIA_CUDA STREQUAL "OFF")
  return()
endif()

# nvcc is often installed but not on the PATH of a build.
if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(TRIDIA_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH
               PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(TRIDIA_NVCC)
  if(TRIDIA_NVCC)
    set(CMAKE_CUDA_COMPILER ${TRIDIA_NVCC})
  endif()
endif()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  if(EXISTS /dev/nvidiactl)
    set(CMAKE_CUDA_ARCHITECTURES native)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 80 90 100)
  endif()
endif()

check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(TRIDIA_HAS_CUDA ON)
  # CMake 3.25 does not know that nvcc 13 speaks C++20.
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
elseif(TRIDIA_CUDA STREQUAL "ON")
  message(FATAL_ERROR "TRIDIA_CUDA is ON, but no nvcc was found: put it on the PATH or set CMAKE_CUDA_COMPILER")
endif()
message(STATUS "tridia: CUDA backend ${TRIDIA_HAS_CUDA}")
