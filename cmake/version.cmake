# Sets `version` to that of include/tridia/version.hpp, as 1.2.3.
set(header ${CMAKE_CURRENT_LIST_DIR}/../include/tridia/version.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
file(STRINGS ${header} numbers REGEX "^#define TRIDIA_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
list(TRANSFORM numbers REPLACE "^.* " "")
list(JOIN numbers . version)
if(NOT version MATCHES "^[0-9]+[.][0-9]+[.][0-9]+$")
  message(FATAL_ERROR "${header}: expected MAJOR, MINOR and PATCH, got ${version}")
endif()
