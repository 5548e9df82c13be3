# The handlers for JAX need three headers of XLA, which come in jaxlib's wheel; nothing is linked. A
# handler runs with the jaxlib whose headers it was built with and with later ones, so a wheel is
# built with the oldest that is supported (pyproject.toml).
set(TRIDIA_XLA_INCLUDE "" CACHE PATH "The folder of xla/ffi/api/ffi.h, if not that of Python's jaxlib")
set(xla_include "${TRIDIA_XLA_INCLUDE}")
if(NOT xla_include)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c
            "import importlib.util as u; print(u.find_spec('jaxlib').submodule_search_locations[0])"
    OUTPUT_VARIABLE jaxlib OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(xla_include "${jaxlib}/include")
endif()
if(NOT EXISTS "${xla_include}/xla/ffi/api/ffi.h")
  message(STATUS "tridia.jax: left out, as there is no jaxlib beside ${Python_EXECUTABLE}")
  return()
endif()
message(STATUS "tridia.jax: with the headers in ${xla_include}")

target_sources(tridia_python PRIVATE src/jax_backward.cpp src/jax_constant.cpp src/jax_device.cpp
               src/jax_make_operator.cpp src/jax_operator.cpp src/jax_solve.cpp src/jax_systems.cpp)
target_compile_definitions(tridia_python PRIVATE TRIDIA_PYTHON_JAX)
target_include_directories(tridia_python SYSTEM PRIVATE "${xla_include}")
if(TRIDIA_HAS_CUDA)
  target_compile_definitions(tridia_python PRIVATE TRIDIA_PYTHON_CUDA)
  target_link_libraries(tridia_python PRIVATE CUDA::cudart_static)
endif()
