# Packages of a build without CUDA, by cpack or `make packages`: for Debian and Ubuntu `sparsmith` (the tools) and
# `libsparsmith-dev` (the library with its headers), and an archive with the tools and the libraries they need.
if(NOT PROJECT_IS_TOP_LEVEL OR SKBUILD OR SPARSMITH_HAS_CUDA)
  return()
endif()
set(SPARSMITH_MAINTAINER "Sparsmith maintainers <maintainers@sparsmith.invalid>" CACHE STRING "Whom packages name as their maintainer")

set(CPACK_PACKAGE_NAME sparsmith)
set(CPACK_PACKAGE_VENDOR Sparsmith)
set(CPACK_PACKAGE_CONTACT "${SPARSMITH_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sparse-matrix format conversion and analysis")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)
find_program(SPARSMITH_SHLIBDEPS dpkg-shlibdeps)
find_program(SPARSMITH_FILE_KINDS file)  # cpack asks it which files are programs
if(SPARSMITH_SHLIBDEPS AND SPARSMITH_FILE_KINDS)
  list(PREPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_kinds.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_contents.cmake)

set(CPACK_COMPONENTS_ALL tools library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME sparsmith)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION math)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
"Converts sparse matrices between storage formats, says what a matrix is like
and what each format would cost, and finds out by measuring which format
multiplies fastest, for one matrix or a collection. These are the
command-line tools, which run on the cores of a CPU.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsparsmith-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
# What other packages depend on for the library, and that the loader's cache is renewed.
set(series ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/shlibs CONTENT "libsparsmith @series@ libsparsmith-dev (>= @PROJECT_VERSION@)\n" @ONLY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/triggers CONTENT "activate-noawait ldconfig\n" @ONLY)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/shlibs ${PROJECT_BINARY_DIR}/package/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"Reads, converts, analyses and multiplies sparse matrices, and recommends
formats. This is the C++20 library: one shared library and its headers, for
CMake and for pkg-config.")
include(CPack)

# What distributions ask for beside the files: whose it is, and what is compiled in from others.
set(copyright ${PROJECT_BINARY_DIR}/package/copyright)
file(READ ${PROJECT_SOURCE_DIR}/cmake/copyright.txt text)
foreach(package IN ITEMS libcli11-dev nlohmann-json3-dev libjs-chart.js)
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(READ /usr/share/doc/${package}/copyright theirs)
    string(APPEND text "\n---- ${package} ----\n\n${theirs}")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${copyright} CONTENT "${text}" @ONLY)
install(FILES ${copyright} DESTINATION share/doc/sparsmith COMPONENT tools)
install(FILES ${copyright} DESTINATION share/doc/libsparsmith-dev COMPONENT library)

add_custom_target(packages COMMAND ${CMAKE_CPACK_COMMAND} USES_TERMINAL VERBATIM)
add_dependencies(packages ${SPARSMITH_TOOLS} sparsmith_shared)
if(TARGET sparsmith_shell)
  add_dependencies(packages sparsmith_shell)
endif()
