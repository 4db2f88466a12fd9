# What the kinds of packages differ in; cpack reads it for each of them.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
else()
  # The tools alone: who compiles against the library wants it with the libraries of his own system.
  list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 tree)
  set(CPACK_INSTALL_CMAKE_PROJECTS ${tree} sparsmith tools /)
endif()
