# The C interface (include/tridia.h), which is part of the library; that of communicators is part of
# the libraries which have those.
target_sources(tridia PRIVATE
  c_api/communicator.cpp
  c_api/convert.cpp
  c_api/decomposition.cpp
  c_api/differential.cpp
  c_api/distributed_operator.cpp
  c_api/distributed_plan.cpp
  c_api/drop_in/gtsv.cpp
  c_api/drop_in/lapack.cpp
  c_api/guard.cpp
  c_api/halo_exchange.cpp
  c_api/handles.cpp
  c_api/names.cpp
  c_api/operator.cpp
  c_api/plan.cpp
  c_api/scheme.cpp
  c_api/system.cpp
  c_api/tuning.cpp)
if(TRIDIA_HAS_CUDA)
  target_sources(tridia PRIVATE c_api/cuda/current_device.cpp)
else()
  target_sources(tridia PRIVATE c_api/drop_in/absent.cpp)
endif()
if(TARGET tridia_mpi)
  target_sources(tridia_mpi PRIVATE c_api/mpi/communicator.cpp)
endif()
if(TARGET tridia_nccl)
  target_sources(tridia_nccl PRIVATE c_api/nccl/communicator.cpp)
endif()

# In a shared library the C symbols have a version, that of the interface.
function(tridia_version_symbols target)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY" OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/tridia.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "TRIDIA_${soversion} { global: tridia_*; };\n")
  target_link_options(${target} PRIVATE LINKER:--version-script=${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
tridia_version_symbols(tridia)
if(TARGET tridia_mpi)
  tridia_version_symbols(tridia_mpi)
endif()
if(TARGET tridia_nccl)
  tridia_version_symbols(tridia_nccl)
endif()
