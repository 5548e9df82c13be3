# What the headers of tridia/device, and those that solve on a CPU from functions of the user, need of
# the library's own sources: these are copied below include/tridia/device/detail of the build, with
# includes that are found there, so that a kernel of a user needs nothing but the include path.
set(TRIDIA_DEVICE_SOURCES
  core/bit_cast.hpp core/chunk.hpp core/complex.hpp core/cross_elimination.hpp core/elimination.hpp
  core/elimination_periodic.hpp core/growth.hpp core/host_device.hpp core/pivoted_chunk.hpp
  core/plain_chunk.hpp core/reciprocal.hpp core/recurrence.hpp core/tagged_bit.hpp core/unit_scale.hpp core/value.hpp core/values.hpp
  gpu/copy.cuh gpu/device_limits.hpp gpu/warp.cuh
  solver/cuda/partition/block_part.cuh
  solver/cuda/partition/levels.cuh)
set(TRIDIA_DEVICE_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
foreach(source ${TRIDIA_DEVICE_SOURCES})
  set(from ${PROJECT_SOURCE_DIR}/src/${source})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from})
  file(READ ${from} text)
  string(REGEX REPLACE "#include \"(core|gpu|solver)/" "#include \"tridia/device/detail/\\1/"
         text "${text}")
  file(CONFIGURE OUTPUT ${TRIDIA_DEVICE_INCLUDE_DIR}/tridia/device/detail/${source}
       CONTENT "${text}" @ONLY)
endforeach()
# A project that has the library as a subdirectory finds them too.
target_include_directories(tridia INTERFACE $<BUILD_INTERFACE:${TRIDIA_DEVICE_INCLUDE_DIR}>)
