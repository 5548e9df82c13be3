# Install rules: the library, its headers, and what find_package(tridia) reads.
option(TRIDIA_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT TRIDIA_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tridia)

install(TARGETS tridia
  EXPORT tridiaTargets
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tridia
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cuh"
  PATTERN "mpi.hpp" EXCLUDE
  PATTERN "nccl.hpp" EXCLUDE)
install(DIRECTORY ${TRIDIA_DEVICE_INCLUDE_DIR}/tridia/device
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tridia)
install(FILES ${PROJECT_SOURCE_DIR}/include/tridia.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TRIDIA_HAS_MPI)
  install(FILES ${PROJECT_SOURCE_DIR}/include/tridia_mpi.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS tridia_mpi EXPORT tridiaTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/include/tridia/mpi.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tridia)
endif()
if(TRIDIA_HAS_NCCL)
  install(FILES ${PROJECT_SOURCE_DIR}/include/tridia_nccl.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS tridia_nccl EXPORT tridiaTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/include/tridia/nccl.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tridia)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindNCCL.cmake DESTINATION ${package_dir})
endif()
install(EXPORT tridiaTargets NAMESPACE tridia:: DESTINATION ${package_dir})

# A static library leaves its own dependencies to be linked by its user; a shared one does not.
get_target_property(tridia_type tridia TYPE)
set(TRIDIA_NEEDS_OPENMP OFF)
set(TRIDIA_NEEDS_CUDATOOLKIT OFF)
if(tridia_type STREQUAL "STATIC_LIBRARY")
  set(TRIDIA_NEEDS_OPENMP ON)
  set(TRIDIA_NEEDS_CUDATOOLKIT ${TRIDIA_HAS_CUDA})
endif()
# Module tridia is installed as its sources, which the user's compilers turn into tridia::fortran.
set(TRIDIA_INSTALL_FORTRAN_DIR ${CMAKE_INSTALL_DATADIR}/tridia/fortran)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/fortran/ DESTINATION ${TRIDIA_INSTALL_FORTRAN_DIR})
install(FILES ${CMAKE_CURRENT_LIST_DIR}/tridiaFortran.cmake DESTINATION ${package_dir})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/tridiaConfig.cmake.in ${PROJECT_BINARY_DIR}/tridiaConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS TRIDIA_INSTALL_FORTRAN_DIR
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tridiaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/tridiaConfig.cmake ${PROJECT_BINARY_DIR}/tridiaConfigVersion.cmake
  DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
include(${CMAKE_CURRENT_LIST_DIR}/pkgconfig.cmake)
