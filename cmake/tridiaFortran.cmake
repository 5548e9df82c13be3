# tridia::fortran: module tridia, compiled by the Fortran and the C compiler of the project that asks for
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
  ${TRIDIA_FORTRAN_DIR}/tridia_descriptors.c)
add_library(tridia::fortran ALIAS tridia_fortran)
set_target_properties(tridia_fortran PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tridia_modules)
target_include_directories(tridia_fortran PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/tridia_modules)
target_link_libraries(tridia_fortran PUBLIC tridia::tridia)
