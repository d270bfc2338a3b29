# Pages for man, made of what programs say of themselves; none where help2man (Debian: help2man) is missing.
find_program(CUBOID_HELP2MAN help2man)

# cuboid_page(NAME "what it does" PROGRAM [WORD...]): the page NAME of what `PROGRAM WORD... --help` prints. Optional when
# installing, since tools/demo builds the command alone.
function(cuboid_page name says program)
  if(NOT CUBOID_HELP2MAN OR CUBOID_SANITIZE OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  set(pages ${PROJECT_BINARY_DIR}/pages)
  set(page ${pages}/${name}.1)
  string(JOIN " " help ${ARGN} --help)
  add_custom_command(OUTPUT ${page}.gz DEPENDS ${program} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/programs
    # help2man has the page's name from the program's.
    COMMAND ${CMAKE_COMMAND} -E create_symlink ${program} ${pages}/programs/${name}
    COMMAND ${CUBOID_HELP2MAN} --no-info --name ${says} --help-option ${help} --version-string ${PROJECT_VERSION}
            --output ${page} ${pages}/programs/${name}
    COMMAND gzip -9nf ${page})
  add_custom_target(${name}.1 ALL DEPENDS ${page}.gz)
  install(FILES ${page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endfunction()
