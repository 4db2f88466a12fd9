# The tools, the headers, the static libraries and their exported targets: sparsmith::sparsmith, ::kernels, ::recommend, ::verdict.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sparsmith)
target_include_directories(sparsmith PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/sparsmith>)
install(TARGETS sparsmith sparsmith_kernels sparsmith_recommend sparsmith_verdict EXPORT sparsmith_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${SPARSMITH_TOOLS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# A header that is installed compiles with nothing but the library: not those of the reports, which are for the tools and
# whose library is not installed, nor those with the insides of conversions, readers and kernels, which take Thrust, fmt,
# HDF5, zlib or nvcc.
install(DIRECTORY convert kernels analyze DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sparsmith
        FILES_MATCHING PATTERN "*.hpp" PATTERN "report" EXCLUDE PATTERN "pipelines" EXCLUDE PATTERN "cpu" EXCLUDE
        PATTERN "cuda" EXCLUDE PATTERN "vendor" EXCLUDE PATTERN "primitives.hpp" EXCLUDE PATTERN "team.hpp" EXCLUDE
        PATTERN "cuda_check.hpp" EXCLUDE PATTERN "checks.hpp" EXCLUDE PATTERN "bounds.hpp" EXCLUDE
        PATTERN "hdf5_file.hpp" EXCLUDE PATTERN "zip.hpp" EXCLUDE PATTERN "gzip.hpp" EXCLUDE)
install(FILES convert/pipelines/pipelines.hpp convert/pipelines/structure.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sparsmith/convert/pipelines)
install(EXPORT sparsmith_targets NAMESPACE sparsmith:: DESTINATION ${package_dir})
# Where this build found HDF5 is where a project on the same machine finds it.
get_filename_component(sparsmith_hdf5_folder "${HDF5_C_LIBRARY_hdf5}" DIRECTORY)
configure_package_config_file(cmake/sparsmith-config.cmake.in ${PROJECT_BINARY_DIR}/sparsmith-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sparsmith-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsmith-config.cmake ${PROJECT_BINARY_DIR}/sparsmith-config-version.cmake
        DESTINATION ${package_dir})
