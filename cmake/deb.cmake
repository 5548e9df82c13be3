# Debian's packages, which `cpack --preset deb` makes. Each release builds its own, as the versions of
# fmt, HDF5 and Open MPI that they depend on differ between releases.
get_target_property(soname_version tridia SOVERSION)
# Versions differ between releases: 0.2.0-1~debian12 and 0.2.0-1~ubuntu24.04.
file(READ /etc/os-release release)
string(REGEX REPLACE "^(.*\n)?ID=\"?([a-z]+)\"?\n.*$" "\\2" id "${release}")
string(REGEX REPLACE "^(.*\n)?VERSION_ID=\"?([0-9.]+)\"?\n.*$" "\\2" id_version "${release}")

set(CPACK_PACKAGE_NAME tridia)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # that of each package is its own
set(CPACK_PACKAGE_VENDOR "the tridia authors")
set(CPACK_PACKAGE_CONTACT "the tridia authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${id}${id_version})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL "")

# deb_package(COMPONENT NAME SECTION SUMMARY [OTHER ...]) makes a package of a component. It depends on
# `OTHER` in the same version where that is a package of these, and on what its programs are linked to.
function(deb_package component name section summary)
  string(TOUPPER ${component} key)
  set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  set(needs "")
  foreach(other IN LISTS ARGN)
    if(other MATCHES tridia)
      string(APPEND other " (= ${version})")
    endif()
    list(APPEND needs "${other}")
  endforeach()
  list(JOIN needs ", " needs)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${needs}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION
      "${summary}\nMany tridiagonal systems, and compact finite differences, along any axis of a field." PARENT_SCOPE)
  if(section MATCHES "^lib")  # heeded from CMake 3.31 on
    set(CPACK_DEBIAN_${key}_PACKAGE_MULTIARCH same PARENT_SCOPE)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
          RENAME copyright COMPONENT ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(library libtridia${soname_version})
deb_package(library ${library} libs "solver of many tridiagonal systems - shared library")
deb_package(development libtridia-dev libdevel
  "solver of many tridiagonal systems - headers for C++ and C, module for Fortran" ${library})
if(TRIDIA_HAS_MPI)
  set(mpi_library libtridia-mpi${soname_version})
  deb_package(mpi_library ${mpi_library} libs
    "solver of many tridiagonal systems - fields spread over MPI's ranks" ${library})
  deb_package(mpi_development libtridia-mpi-dev libdevel
    "solver of many tridiagonal systems - headers for fields spread over MPI's ranks"
    ${mpi_library} libtridia-dev libopenmpi-dev)
endif()
if(TRIDIA_BUILD_CLI)
  deb_package(tools tridia-tools science "solver of many tridiagonal systems - command line" ${library})
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "python3-matplotlib")
endif()
if(TRIDIA_BUILD_CLI AND TRIDIA_HAS_MPI)
  deb_package(mpi_tools tridia-tools-mpi science
    "solver of many tridiagonal systems - what tridia doctor runs on ranks"
    tridia-tools ${library} ${mpi_library})
endif()
if(TRIDIA_BUILD_BENCHMARKS)
  deb_package(bench tridia-bench science "solver of many tridiagonal systems - benchmarks"
    tridia-tools ${library} ${mpi_library})
endif()
