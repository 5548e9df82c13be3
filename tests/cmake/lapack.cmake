# The target tridia_test_lapack: LAPACKE with LAPACK's matrix generators (tmglib), over the LAPACK
# that is installed, or statically over LAPACK's own.
find_path(LAPACKE_INCLUDE_DIR lapacke.h REQUIRED)
add_library(tridia_test_lapack INTERFACE)
target_include_directories(tridia_test_lapack SYSTEM INTERFACE ${LAPACKE_INCLUDE_DIR})

# find_library for the archive or for what the linker prefers.
function(tridia_find_test_library variable name)
  if(TRIDIA_STATIC_DEPENDENCIES)
    find_library(${variable}_STATIC NAMES lib${name}.a REQUIRED)
    set(found ${${variable}_STATIC})
  else()
    find_library(${variable} NAMES ${name} REQUIRED)
    set(found ${${variable}})
  endif()
  target_link_libraries(tridia_test_lapack INTERFACE ${found})
endfunction()

# The path of an archive that lies where only the compiler looks.
function(tridia_compiler_archive variable name)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.a
                  OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE ${archive})
    message(FATAL_ERROR "TRIDIA_STATIC_DEPENDENCIES needs lib${name}.a of the compiler")
  endif()
  set(${variable} ${archive} PARENT_SCOPE)
endfunction()

tridia_find_test_library(TRIDIA_LAPACKE_LIBRARY lapacke)
tridia_find_test_library(TRIDIA_TMGLIB_LIBRARY tmglib)
if(TRIDIA_STATIC_DEPENDENCIES)
  # The reference implementation: OpenBLAS starts threads of its own, which an archive of OpenMP's
  # runtime in the same executable upsets.
  foreach(name lapack blas)
    find_library(TRIDIA_REFERENCE_${name} NAMES lib${name}.a REQUIRED NO_DEFAULT_PATH
                 PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name} /usr/lib/${name})
    target_link_libraries(tridia_test_lapack INTERFACE ${TRIDIA_REFERENCE_${name}})
  endforeach()
  foreach(name gfortran quadmath)
    tridia_compiler_archive(archive ${name})
    target_link_libraries(tridia_test_lapack INTERFACE ${archive})
  endforeach()
  find_package(Threads REQUIRED)
  target_link_libraries(tridia_test_lapack INTERFACE Threads::Threads m)
else()
  tridia_find_test_library(TRIDIA_LAPACK_LIBRARY lapack)
endif()
