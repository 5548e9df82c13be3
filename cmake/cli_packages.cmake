# TRIDIA_BUILD_CLI=AUTO, as pip asks for it: the command line is built where its packages are.
set(TRIDIA_BUILD_CLI ON)
foreach(package CLI11 fmt nlohmann_json)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(STATUS "tridia: no command line, as ${package} was not found")
    set(TRIDIA_BUILD_CLI OFF)
  endif()
endforeach()
