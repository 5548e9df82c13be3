# Install rules: the library, its headers, and what find_package(tridia) reads.
option(TRIDIA_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT TRIDIA_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tridia)

# A component is what a package of a distribution holds: those who run a program need `library` alone.
# install_library(TARGET COMPONENT EXPORT) installs a library, and the links and archives that building with it takes.
function(install_library target component export)
  install(TARGETS ${target} EXPORT ${export}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}library
            NAMELINK_COMPONENT ${component}development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${export} NAMESPACE tridia:: DESTINATION ${package_dir}
          COMPONENT ${component}development)
endfunction()

# install_transport(NAME) does so with the library of a transport, and with its headers.
function(install_transport name)
  install_library(tridia_${name} ${name}_ tridia_${name}Targets)
  install(FILES ${PROJECT_SOURCE_DIR}/include/tridia_${name}.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${name}_development)
  install(FILES ${PROJECT_SOURCE_DIR}/include/tridia/${name}.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tridia COMPONENT ${name}_development)
endfunction()

install_library(tridia "" tridiaTargets)
install(TARGETS tridia_lapack EXPORT tridiaTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
          NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tridia
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cuh"
  PATTERN "mpi.hpp" EXCLUDE
  PATTERN "nccl.hpp" EXCLUDE)
install(DIRECTORY ${TRIDIA_DEVICE_INCLUDE_DIR}/tridia/device
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tridia COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/include/tridia.h ${PROJECT_SOURCE_DIR}/include/tridia_lapack.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
if(TRIDIA_HAS_CUDA)
  install(FILES ${PROJECT_SOURCE_DIR}/include/tridia_cusparse.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endif()
if(TRIDIA_HAS_MPI)
  install_transport(mpi)
endif()
if(TRIDIA_HAS_NCCL)
  install_transport(nccl)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindNCCL.cmake
          DESTINATION ${package_dir} COMPONENT nccl_development)
endif()

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
install(DIRECTORY ${PROJECT_SOURCE_DIR}/fortran/ DESTINATION ${TRIDIA_INSTALL_FORTRAN_DIR}
        COMPONENT development)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/tridiaFortran.cmake DESTINATION ${package_dir}
        COMPONENT development)
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
  DESTINATION ${package_dir} COMPONENT development)
include(${CMAKE_CURRENT_LIST_DIR}/pkgconfig.cmake)
if(TRIDIA_DEB)
  include(${CMAKE_CURRENT_LIST_DIR}/deb.cmake)
else()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT development)
endif()
