# The CPU's kernels, once for each instruction set and value type; chosen between at run time.
set(TRIDIA_CPU_VECTORS 2 CACHE STRING "Native vectors that a CPU kernel works on side by side")
mark_as_advanced(TRIDIA_CPU_VECTORS)
# More flags for these files alone, whose code grows most under sanitizers; and for those of one
# value type, as TRIDIA_CPU_KERNEL_FLAGS_c64.
set(TRIDIA_CPU_KERNEL_FLAGS "" CACHE STRING "More compiler flags for the CPU kernels")
mark_as_advanced(TRIDIA_CPU_KERNEL_FLAGS)

function(tridia_cpu_kernels isa)
  foreach(entry "f32:float" "f64:double" "c64:core::complex<float>" "c128:core::complex<double>")
    string(REPLACE ":" ";" parts "${entry}")
    list(POP_FRONT parts name)
    string(REPLACE ";" ":" value "${parts}")
    set(target tridia_cpu_${isa}_${name})
    add_library(${target} OBJECT solver/cpu/kernels.cpp solver/cpu/part_kernels.cpp)
    # Line operators see complex arrays as real ones.
    if(name MATCHES "^f")
      target_sources(${target} PRIVATE line_operator/cpu/kernels.cpp)
    endif()
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
                                                 ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(${target} PRIVATE
      TRIDIA_ISA=${isa} TRIDIA_VECTORS=${TRIDIA_CPU_VECTORS} TRIDIA_TABLE=table_${name}
      TRIDIA_PART_TABLE=part_table_${name} "TRIDIA_VALUE=${value}")
    # -O3 doubles the time to compile and gains nothing: the loops are written as they should run.
    target_compile_options(${target} PRIVATE
      ${ARGN} ${TRIDIA_CPU_KERNEL_FLAGS} ${TRIDIA_CPU_KERNEL_FLAGS_${name}}
      -ffp-contract=off $<$<CONFIG:Release>:-O2>)
    tridia_warnings(${target})
    target_sources(tridia PRIVATE $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(TRIDIA_X86_64_LEVELS 2 3 4 CACHE STRING "The levels of x86-64 that CPU kernels are built for")
  foreach(level ${TRIDIA_X86_64_LEVELS})
    target_compile_definitions(tridia PRIVATE TRIDIA_X86_64_V${level})
    tridia_cpu_kernels(x86_64_v${level} -march=x86-64-v${level})
  endforeach()
else()
  tridia_cpu_kernels(baseline)
endif()
