# tridia::fortran: modules tridia and tridia_distributed, compiled by the Fortran and the C compiler of the project that asks for
# it, as modules and descriptors differ between compilers. TRIDIA_FORTRAN_DIR is where its sources are.
if(TARGET tridia::fortran)
  return()
endif()
get_property(tridia_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "Fortran" IN_LIST tridia_languages OR NOT "C" IN_LIST tridia_languages)
  message(FATAL_ERROR "tridia: component Fortran needs project(... LANGUAGES C Fortran), for CXX as well")
endif()
add_library(tridia_fortran STATIC EXCLUDE_FROM_ALL
  ${TRIDIA_FORTRAN_DIR}/tridia_c.f90
  ${TRIDIA_FORTRAN_DIR}/tridia.f90
  ${TRIDIA_FORTRAN_DIR}/tridia_descriptors.c
  ${TRIDIA_FORTRAN_DIR}/tridia_distributed_c.f90
  ${TRIDIA_FORTRAN_DIR}/tridia_distributed.f90
  ${TRIDIA_FORTRAN_DIR}/tridia_distributed_descriptors.c)
add_library(tridia::fortran ALIAS tridia_fortran)
set_target_properties(tridia_fortran PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tridia_modules)
target_include_directories(tridia_fortran PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/tridia_modules)
target_link_libraries(tridia_fortran PUBLIC tridia::tridia)

# tridia::fortran_mpi has module tridia_mpi as well, where MPI has its modules for this compiler.
if(TARGET tridia::mpi)
  find_package(MPI QUIET COMPONENTS Fortran)
endif()
if(TARGET tridia::mpi AND MPI_Fortran_FOUND AND MPI_Fortran_HAVE_F08_MODULE)
  add_library(tridia_fortran_mpi STATIC EXCLUDE_FROM_ALL ${TRIDIA_FORTRAN_DIR}/tridia_mpi.f90)
  add_library(tridia::fortran_mpi ALIAS tridia_fortran_mpi)
  set_target_properties(tridia_fortran_mpi PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tridia_modules)
  target_link_libraries(tridia_fortran_mpi PUBLIC tridia_fortran tridia::mpi MPI::MPI_Fortran)
endif()
