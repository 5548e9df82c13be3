# Files for pkg-config. A static library's own dependencies are in `Libs`, as programs in C and Fortran
# need them too; a shared one brings them itself.
set(private_libraries "")
if(tridia_type STREQUAL "STATIC_LIBRARY")
  string(APPEND private_libraries " -lstdc++ -lgomp -lpthread -lm")
  if(TRIDIA_HAS_CUDA)
    string(APPEND private_libraries " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
  endif()
endif()

# The files may be moved with the tree that they are installed in.
file(RELATIVE_PATH prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")

# tridia_pkgconfig(NAME COMPONENT DESCRIPTION LIBRARIES REQUIRES)
function(tridia_pkgconfig name component description libraries requires)
  set(file ${PROJECT_BINARY_DIR}/${name}.pc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tridia.pc.in ${file} @ONLY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT ${component})
endfunction()

tridia_pkgconfig(tridia development "${PROJECT_DESCRIPTION}" "-ltridia${private_libraries}" "")
# It comes before LAPACK's own library.
tridia_pkgconfig(tridia-lapack development "LAPACK's xGTSV by tridia" "-ltridia_lapack" "")
if(TRIDIA_HAS_MPI)
  # The program's own compiler, mpicc or mpif90, brings MPI.
  tridia_pkgconfig(tridia-mpi mpi_development "Fields of tridia that are spread over MPI's ranks" "-ltridia_mpi"
                   "tridia = ${PROJECT_VERSION}")
endif()
if(TRIDIA_HAS_NCCL)
  tridia_pkgconfig(tridia-nccl nccl_development "Fields of tridia that are spread over GPUs" "-ltridia_nccl -lnccl"
                   "tridia = ${PROJECT_VERSION}")
endif()
