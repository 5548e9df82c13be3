# Installs the BUILD of tridia under WORK, then configures, builds and runs the project OUTSIDE with
# it.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# As in tests/fortran: gfortran and the check of null pointers do not agree.
set(FORTRAN_FLAGS "${CXX_FLAGS}")
if(CXX_FLAGS MATCHES "-fsanitize")
  string(APPEND FORTRAN_FLAGS " -fno-sanitize=null")
endif()

# Files of an earlier run must not be found instead.
file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/outside)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${OUTSIDE} -B ${WORK}/outside -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_C_FLAGS=${CXX_FLAGS}
    -DCMAKE_Fortran_FLAGS=${FORTRAN_FLAGS}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DEXAMPLES=${EXAMPLES})
run(${CMAKE_COMMAND} --build ${WORK}/outside)

execute_process(COMMAND ${WORK}/outside/readme OUTPUT_VARIABLE solution
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT solution STREQUAL "1.000000000000")
  message(FATAL_ERROR "the outside project solved a system to '${solution}', not 1.000000000000")
endif()
execute_process(COMMAND ${WORK}/outside/diffusion OUTPUT_VARIABLE sum
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT sum STREQUAL "51.000000")
  message(FATAL_ERROR "a column of 49 ones and a two has the sum '${sum}' after a step of diffusion")
endif()
run(${WORK}/outside/plan)
run(${WORK}/outside/derivative)
run(${WORK}/outside/vortex)
run(${WORK}/outside/interface)
run(${WORK}/outside/c_solve)
run(${WORK}/outside/c_derivative)
run(${WORK}/outside/c_batch)
run(${WORK}/outside/c_lapack)
if(EXISTS ${WORK}/outside/fortran_solve)
  # Arrays of a Fortran main program are never freed.
  set(without_leaks ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0)
  run(${without_leaks} ${WORK}/outside/fortran_solve)
  run(${without_leaks} ${WORK}/outside/fortran_derivative)
  run(${without_leaks} ${WORK}/outside/fortran_laplacian)
endif()

# The same by pkg-config, which is all that a makefile needs.
find_program(PKG_CONFIG pkg-config)
find_program(CC cc)
if(PKG_CONFIG AND CC)
  file(GLOB_RECURSE pc ${WORK}/prefix/*/tridia.pc)
  get_filename_component(pc_folder ${pc} DIRECTORY)
  get_filename_component(lib_folder ${pc_folder} DIRECTORY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder}
                          ${PKG_CONFIG} --cflags --libs tridia
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  separate_arguments(own_flags UNIX_COMMAND "${CXX_FLAGS}")
  run(${CC} -std=c99 ${own_flags} ${EXAMPLES}/c/solve.c -o ${WORK}/by_pkg_config ${flags}
      -Wl,-rpath,${lib_folder})
  run(${WORK}/by_pkg_config)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder}
                          ${PKG_CONFIG} --libs tridia-lapack
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  run(${CC} -std=c99 ${own_flags} ${OUTSIDE}/lapack.c -o ${WORK}/lapack_by_pkg_config ${flags}
      -Wl,-rpath,${lib_folder})
  run(${WORK}/lapack_by_pkg_config)
endif()

# A program on ranks is built so as well; tests of the C interface run it.
find_program(MPICC mpicc)
file(GLOB_RECURSE pc ${WORK}/prefix/*/tridia-mpi.pc)
if(PKG_CONFIG AND MPICC AND pc)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder}
                          ${PKG_CONFIG} --cflags --libs tridia-mpi
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  separate_arguments(own_flags UNIX_COMMAND "${CXX_FLAGS}")
  run(${MPICC} -std=c99 ${own_flags} ${OUTSIDE}/../../c_api/mpi_program.c -o ${WORK}/ranks_by_pkg_config
      ${flags} -Wl,-rpath,${lib_folder})
endif()
