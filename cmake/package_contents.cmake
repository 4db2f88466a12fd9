# Makes of what is installed for a package what its kind asks for; cpack runs it before it packs.
cmake_minimum_required(VERSION 3.25)

# As the distribution's rules have it: manual pages and the list of changes compressed, no paths of the build.
function(prepare_for_debian folder package)
  set(docs ${folder}/usr/share/doc/${package})
  string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${docs}/changelog "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n\
  * Sparsmith ${CPACK_PACKAGE_VERSION}; CHANGELOG.md of the sources tells what is new.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  # Debian's zsh looks for what packages bring in a folder of its own.
  if(EXISTS ${folder}/usr/share/zsh/site-functions)
    file(RENAME ${folder}/usr/share/zsh/site-functions ${folder}/usr/share/zsh/vendor-completions)
  endif()
  file(GLOB pages ${folder}/usr/share/man/man1/*.1)
  execute_process(COMMAND gzip -9nf ${docs}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE programs LIST_DIRECTORIES false ${folder}/usr/bin/* ${folder}/usr/libsparsmith.so.*.*.*)
  foreach(program IN LISTS programs)
    file(RPATH_REMOVE FILE ${program})
  endforeach()
endfunction()

# All libraries but the C library's own, which must be the system's, beside the tools: cmake/install.cmake has them look there.
function(add_libraries folder)
  file(GLOB programs ${folder}/bin/*)
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} RESOLVED_DEPENDENCIES_VAR libraries
       PRE_EXCLUDE_REGEXES "^ld-linux.*" "^lib(c|m|dl|rt|pthread|resolv|util|nsl)\\.so\\.[0-9]+$")
  foreach(library IN LISTS libraries)
    file(INSTALL ${library} DESTINATION ${folder}/lib/sparsmith FOLLOW_SYMLINK_CHAIN MESSAGE_NEVER)
    get_filename_component(real ${library} REALPATH)
    # Whose they are, where the system knows.
    execute_process(COMMAND dpkg-query -S ${real} OUTPUT_VARIABLE owner ERROR_QUIET)
    string(REGEX REPLACE "[:\n].*" "" owner "${owner}")
    if(owner AND EXISTS /usr/share/doc/${owner}/copyright)
      configure_file(/usr/share/doc/${owner}/copyright ${folder}/share/doc/sparsmith/libraries/${owner}.copyright COPYONLY)
    endif()
  endforeach()
endfunction()

if(CPACK_GENERATOR STREQUAL "DEB")
  prepare_for_debian(${CPACK_TEMPORARY_INSTALL_DIRECTORY}/tools sparsmith)
  prepare_for_debian(${CPACK_TEMPORARY_INSTALL_DIRECTORY}/library libsparsmith-dev)
else()
  add_libraries(${CPACK_TEMPORARY_INSTALL_DIRECTORY})
endif()
