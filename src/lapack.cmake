# tridia_lapack: LAPACK's xGTSV, in a shared library that a program preloads, or links before LAPACK.
# It needs nothing else of the library, so that it starts nothing in programs that it is preloaded into.
add_library(tridia_lapack SHARED lapack/gtsv.cpp)
add_library(tridia::lapack ALIAS tridia_lapack)
set_target_properties(tridia_lapack PROPERTIES
  EXPORT_NAME lapack VERSION ${PROJECT_VERSION} SOVERSION ${soversion})
target_include_directories(tridia_lapack PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
# Fortran's numbers: nothing is fused. Pairs of neighbours that are made into vectors wait for the single
# numbers that were just stored: 8 rows would take 1.7 times as long.
target_compile_options(tridia_lapack PRIVATE
  $<$<NOT:$<CONFIG:Debug>>:-O3> -ffp-contract=off -fno-tree-slp-vectorize)
tridia_warnings(tridia_lapack)
