# Flags for our own code only; dependencies come in as system headers.
# -Wrestrict is off: g++ 12 raises it falsely on plain string concatenation (GCC bug 105651).
# Contraction is off so that generators and sums give the same bits on every machine.
# Warnings are errors in the presets, which we and CI build with, and not for whoever builds it with another compiler.
option(SPARSMITH_WERROR "Treat warnings as errors" OFF)
add_library(sparsmith_flags INTERFACE)
target_compile_options(sparsmith_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-restrict -ffp-contract=off>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SPARSMITH_WERROR}>>:-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda -Wno-deprecated-gpu-targets -Xcompiler=-Wall,-Wextra>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${SPARSMITH_WERROR}>>:-Werror=all-warnings>)

# For code that a run passes once: tools, reports, dispatch. The optimiser would take longer with it than it saves.
add_library(sparsmith_optimised_little INTERFACE)
target_compile_options(sparsmith_optimised_little INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)

# Thrust forms null references, hence -fno-sanitize=null. The checks themselves make g++ see uninitialised values in the
# standard library, hence that warning is no error here.
option(SPARSMITH_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
if(SPARSMITH_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                      $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=maybe-uninitialized>)
  add_link_options(-fsanitize=address,undefined)
endif()
