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

# Checks while it runs; the tests follow. Thrust forms null references, hence -fno-sanitize=null. AddressSanitizer's checks
# make g++ see uninitialised values in the standard library, hence that warning is no error there.
set(SPARSMITH_SANITIZE OFF CACHE STRING
    "address (or ON): AddressSanitizer and UBSan; with clang++: thread (ThreadSanitizer), integer (UBSan and its checks of integers)")
string(TOUPPER "${SPARSMITH_SANITIZE}" wish)
if(wish MATCHES "^(ON|1|TRUE|YES|Y|ADDRESS)$")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=null -fno-sanitize-recover=all)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-error=maybe-uninitialized>)
elseif(SPARSMITH_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
elseif(SPARSMITH_SANITIZE STREQUAL "integer")
  # Unsigned numbers wrap around and lose bits on purpose, in hashes and rotations; sizes are signed here. All findings are
  # told; UBSAN_OPTIONS=halt_on_error=1 ends at the first.
  set(sanitizers -fsanitize=undefined,integer -fno-sanitize=null,unsigned-integer-overflow,unsigned-shift-base
                 -fsanitize-recover=all
                 -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/integer_ignorelist.txt)
elseif(SPARSMITH_SANITIZE)
  message(FATAL_ERROR "SPARSMITH_SANITIZE=${SPARSMITH_SANITIZE}: is none of OFF, ON, address, thread and integer")
endif()
if(SPARSMITH_SANITIZE)
  if(SPARSMITH_SANITIZE MATCHES "^(thread|integer)$" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SPARSMITH_SANITIZE=${SPARSMITH_SANITIZE} needs clang++: the preset names it")
  endif()
  foreach(flag IN LISTS sanitizers ITEMS -fno-omit-frame-pointer)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${flag}>)
  endforeach()
  add_link_options(${sanitizers})
endif()
# For the test of the installed library, whose programs are compiled on their own.
string(REPLACE ";" " " sanitizers "${sanitizers}")
set(SPARSMITH_SANITIZERS "${sanitizers}" CACHE INTERNAL "Flags of SPARSMITH_SANITIZE")
