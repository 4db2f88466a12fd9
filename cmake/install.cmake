# The tools, the headers, the static libraries and their exported targets: sparsmith::sparsmith, ::kernels, ::recommend.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sparsmith)
target_include_directories(sparsmith PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/sparsmith>)
install(TARGETS sparsmith sparsmith_kernels sparsmith_recommend EXPORT sparsmith_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${SPARSMITH_TOOLS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Reports are for the tools: their library is not installed, and neither are its headers.
install(DIRECTORY convert kernels analyze DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sparsmith
        FILES_MATCHING PATTERN "*.hpp" PATTERN "report" EXCLUDE)
install(EXPORT sparsmith_targets NAMESPACE sparsmith:: DESTINATION ${package_dir})
configure_package_config_file(cmake/sparsmith-config.cmake.in ${PROJECT_BINARY_DIR}/sparsmith-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sparsmith-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsmith-config.cmake ${PROJECT_BINARY_DIR}/sparsmith-config-version.cmake
        DESTINATION ${package_dir})
