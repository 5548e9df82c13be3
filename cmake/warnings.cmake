# Warnings for every target of this project; never part of its interface.
function(tridia_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TRIDIA_WERROR}>>:-Werror>)
endfunction()
