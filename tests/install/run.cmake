# Installs the build into WORK/prefix and builds the programs of docs/library.md against it as a stranger would: with CMake,
# a project of C++ alone, and the first with pkg-config. Runs them, and an installed tool. With PYTHON also looks at what pip
# puts into a wheel.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/examples.cmake)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nfailed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK}/prefix)
if(PYTHON)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK}/wheel --component python)
  file(GLOB_RECURSE found RELATIVE ${WORK}/wheel ${WORK}/wheel/*)
  if(NOT found MATCHES "^sparsmith/_sparsmith\\.[^;]*;sparsmith/bin/spbatch$")
    message(FATAL_ERROR "A wheel would hold ${found}, and not the extension and spbatch")
  endif()
endif()
if(EXISTS ${WORK}/prefix/sparsmith)
  message(FATAL_ERROR "The package for Python is installed with the library")
endif()
file(GLOB found RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/*)
if(NOT found STREQUAL "sparsmith")
  message(FATAL_ERROR "The installed include folder holds ${found}, and not sparsmith alone")
endif()
file(GLOB_RECURSE found RELATIVE ${WORK}/prefix/include/sparsmith ${WORK}/prefix/include/sparsmith/*)
foreach(header IN LISTS found)
  if(NOT header MATCHES "^(sparsmith|matrix|arguments|advice|structure|visit|error|options|assembly_report|five_numbers|format_cost|matrix_features)\\.hpp$"
     AND NOT header MATCHES "^(backend/memory|formats/[a-z_]+)\\.hpp$")
    message(FATAL_ERROR "${header} is installed, which is not meant for users")
  endif()
endforeach()
file(GLOB_RECURSE archives ${WORK}/prefix/*.a)
if(archives)
  message(FATAL_ERROR "${archives}: the insides are installed")
endif()

set(flags ${CXX_FLAGS})
# Those that the library was compiled with.
file(STRINGS ${BUILD_DIR}/CMakeCache.txt sanitizers REGEX "^SPARSMITH_SANITIZERS:")
string(REGEX REPLACE "^SPARSMITH_SANITIZERS:[A-Z]*=" "" sanitizers "${sanitizers}")
string(APPEND flags " ${sanitizers}")
write_examples(${PAGE} ${WORK}/examples)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=${flags} -DHEADERS=${WORK}/prefix/include
    -DEXAMPLES=${WORK}/examples)
run(${CMAKE_COMMAND} --build ${WORK}/build)

run(${WORK}/prefix/bin/spconv gen:laplace2d?n=20 --to mtx -o a.mtx --quiet)
foreach(name IN LISTS EXAMPLE_NAMES)
  run(${WORK}/build/${name})
  message(STATUS "${name}: ${output}")
endforeach()
run(${WORK}/prefix/bin/spconv gen:diagonal?n=10 --to ell --verify --quiet)

find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message(STATUS "no pkg-config here: sparsmith.pc is not tried")
  return()
endif()
file(GLOB_RECURSE description ${WORK}/prefix/sparsmith.pc)
get_filename_component(folder ${description} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${folder})
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs sparsmith OUTPUT_VARIABLE options COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${PKG_CONFIG} --variable=libdir sparsmith OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(options UNIX_COMMAND "${options}")
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${CXX} -std=c++20 ${flags} examples/conjugate_gradients.cpp ${options} -Wl,-rpath,${libraries} -o with_pkg_config)
run(${WORK}/with_pkg_config)
message(STATUS "with pkg-config: ${output}")
