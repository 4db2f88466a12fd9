# What others get: one shared library with its headers, for CMake and for pkg-config, and the tools. Whoever uses it needs
# nothing that it was built with: neither nvcc nor a CUDA toolkit, neither HDF5's headers nor fmt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

target_include_directories(sparsmith PUBLIC ${PROJECT_SOURCE_DIR})

# ---- the headers ----
# Those meant for users, under one root: what sources include as "convert/error.hpp" is <sparsmith/error.hpp> there.
set(SPARSMITH_HEADERS
  tools/library/sparsmith.hpp tools/library/matrix.hpp tools/library/arguments.hpp tools/library/advice.hpp
  tools/library/reorder.hpp tools/library/structure.hpp tools/library/visit.hpp
  convert/error.hpp convert/options.hpp convert/assembly_report.hpp convert/backend/memory.hpp
  convert/formats/sizes.hpp convert/formats/size_count.hpp convert/formats/format.hpp convert/formats/formats.hpp
  convert/formats/bsr.hpp convert/formats/complex.hpp convert/formats/coo.hpp convert/formats/csb.hpp convert/formats/csc.hpp convert/formats/csr.hpp
  convert/formats/dia.hpp convert/formats/ecsb.hpp convert/formats/ell.hpp convert/formats/gcsb.hpp convert/formats/gcsb_tile.hpp convert/formats/half.hpp
  convert/formats/hyb.hpp convert/formats/sell.hpp
  analyze/structure/five_numbers.hpp analyze/structure/format_cost.hpp analyze/structure/matrix_features.hpp)
set(SPARSMITH_INCLUDE ${PROJECT_BINARY_DIR}/include)
set(public_headers "")
foreach(header IN LISTS SPARSMITH_HEADERS)
  string(REGEX REPLACE "^(tools/library|convert|analyze/structure)/" "" name ${header})
  set(public ${SPARSMITH_INCLUDE}/sparsmith/${name})
  add_custom_command(OUTPUT ${public}
    COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/${header} -DTO=${public} "-DPUBLIC=${SPARSMITH_HEADERS}"
            -P ${PROJECT_SOURCE_DIR}/cmake/public_header.cmake
    DEPENDS ${header} cmake/public_header.cmake VERBATIM)
  list(APPEND public_headers ${public})
  get_filename_component(folder ${name} DIRECTORY)
  install(FILES ${public} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sparsmith/${folder} COMPONENT library)
endforeach()
add_custom_target(sparsmith_headers ALL DEPENDS ${public_headers})

# ---- the library ----
add_library(sparsmith_shared SHARED $<TARGET_OBJECTS:sparsmith_library>)
add_library(sparsmith::sparsmith ALIAS sparsmith_shared)
add_dependencies(sparsmith_shared sparsmith_headers)
target_link_libraries(sparsmith_shared PRIVATE $<BUILD_INTERFACE:sparsmith_recommend_report> $<BUILD_INTERFACE:sparsmith_recommend>)
if(SPARSMITH_HAS_CUDA)
  target_link_libraries(sparsmith_shared PRIVATE CUDA::cudart_static)
endif()
target_include_directories(sparsmith_shared INTERFACE $<BUILD_INTERFACE:${SPARSMITH_INCLUDE}>
                                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(sparsmith_shared INTERFACE cxx_std_20)
# Others see what is in namespace sparsmith, and nothing of what it is made from. Where its libraries were found is where a
# linker and a program of the same machine find them.
target_link_options(sparsmith_shared PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/sparsmith.map
                                             LINKER:--as-needed)
set_target_properties(sparsmith_shared PROPERTIES
  OUTPUT_NAME sparsmith EXPORT_NAME sparsmith VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINKER_LANGUAGE CXX
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/sparsmith.map INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS sparsmith_shared EXPORT sparsmith_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
set_target_properties(${SPARSMITH_TOOLS} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
if(NOT SPARSMITH_HAS_CUDA)
  # A package may bring libraries in a folder of its own (cmake/package.cmake). By the old tag the libraries themselves look
  # there as well.
  set_target_properties(${SPARSMITH_TOOLS} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/sparsmith")
  foreach(tool IN LISTS SPARSMITH_TOOLS)
    target_link_options(${tool} PRIVATE LINKER:--disable-new-dtags)
  endforeach()
endif()
if(SPARSMITH_HAS_CUDA)  # CMake would leave out what the compiler knows, which the loader need not
  set(library_folders ${CUDAToolkit_LIBRARY_DIR})
  if(SPARSMITH_CUSPARSE_ROOT)  # before the toolkit's, which is older
    get_filename_component(cusparse_folder ${SPARSMITH_CUSPARSE} DIRECTORY)
    list(PREPEND library_folders ${cusparse_folder})
  endif()
  set(with_libraries sparsmith_shared ${SPARSMITH_TOOLS})
  if(SPARSMITH_HAS_PYTHON)
    list(APPEND with_libraries _sparsmith)
  endif()
  set_target_properties(${with_libraries} PROPERTIES INSTALL_RPATH "${library_folders}")
endif()
install(TARGETS ${SPARSMITH_TOOLS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
# Where shells and man look. A link is installed as one.
foreach(file IN LISTS SPARSMITH_SHELL_FILES)
  if(file MATCHES "\\.bash$")
    set(place ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  elseif(file MATCHES "\\.fish$")
    set(place ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  elseif(file MATCHES "\\.1$")
    set(place ${CMAKE_INSTALL_MANDIR}/man1)
  else()
    set(place ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  endif()
  install(FILES ${file} DESTINATION ${place} COMPONENT tools)
endforeach()

# ---- how it is found ----
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sparsmith)
install(EXPORT sparsmith_targets NAMESPACE sparsmith:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(cmake/sparsmith-config.cmake.in ${PROJECT_BINARY_DIR}/sparsmith-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sparsmith-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsmith-config.cmake ${PROJECT_BINARY_DIR}/sparsmith-config-version.cmake
        DESTINATION ${package_dir} COMPONENT library)
# Relative to the file, so that a tree may be moved.
file(RELATIVE_PATH pkgconfig_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/sparsmith.pc.in ${PROJECT_BINARY_DIR}/sparsmith.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sparsmith.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
