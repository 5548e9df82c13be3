# The target tridia_test_lapack is LAPACKE with LAPACK's matrix generators (tmglib), over the LAPACK
# that is installed, or statically over LAPACK's own.
find_path(LAPACKE_INCLUDE_DIR lapacke.h REQUIRED)
add_library(tridia_test_lapack INTERFACE)
target_include_directories(tridia_test_lapack SYSTEM INTERFACE ${LAPACKE_INCLUDE_DIR})

# This calls find_library for the archive or for what the linker prefers.
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

tridia_find_test_library(TRIDIA_LAPACKE_LIBRARY lapacke)
tridia_find_test_library(TRIDIA_TMGLIB_LIBRARY tmglib)
if(TRIDIA_STATIC_DEPENDENCIES)
  tridia_reference_lapack(reference_lapack)
  target_link_libraries(tridia_test_lapack INTERFACE ${reference_lapack})
else()
  tridia_find_test_library(TRIDIA_LAPACK_LIBRARY lapack)
endif()
