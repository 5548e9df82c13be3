# TRIDIA_STATIC_DEPENDENCIES: executables for a machine that has none of what they are built with.
option(TRIDIA_STATIC_DEPENDENCIES
       "Link what executables need (GoogleTest, LAPACK, the runtimes of C++ and OpenMP) statically, \
so that they run on a machine that has none of it" OFF)

# The path of an archive that lies where only the compiler looks.
function(tridia_compiler_archive variable name)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.a
                  OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE ${archive})
    message(FATAL_ERROR "TRIDIA_STATIC_DEPENDENCIES needs lib${name}.a of the compiler")
  endif()
  set(${variable} ${archive} PARENT_SCOPE)
endfunction()

# The C++ library as well, unless SHARED_CXX says that another library brings the shared one.
function(tridia_static_runtimes target)
  if(NOT TRIDIA_STATIC_DEPENDENCIES)
    return()
  endif()
  if(NOT "SHARED_CXX" IN_LIST ARGN)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  # OpenMP's archive comes before its shared library, which is then not needed.
  tridia_compiler_archive(gomp gomp)
  target_link_options(${target} PRIVATE LINKER:--as-needed
    "LINKER:--whole-archive,${gomp},--no-whole-archive")
endfunction()

# The archives of LAPACK's reference implementation and of what it needs, to link after LAPACKE's.
# Not OpenBLAS: it starts threads of its own, which an archive of OpenMP's runtime in the same
# executable upsets.
function(tridia_reference_lapack variable)
  foreach(name lapack blas)
    find_library(TRIDIA_REFERENCE_${name} NAMES lib${name}.a REQUIRED NO_DEFAULT_PATH
                 PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name} /usr/lib/${name})
    mark_as_advanced(TRIDIA_REFERENCE_${name})
    list(APPEND archives ${TRIDIA_REFERENCE_${name}})
  endforeach()
  foreach(name gfortran quadmath)
    tridia_compiler_archive(archive ${name})
    list(APPEND archives ${archive})
  endforeach()
  find_package(Threads REQUIRED)
  set(${variable} ${archives} Threads::Threads m PARENT_SCOPE)
endfunction()
