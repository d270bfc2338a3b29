# Read by cpack: without dpkg-shlibdeps, which calls `file`, the package would lack its dependencies.
if(CPACK_GENERATOR STREQUAL "DEB")
  foreach(tool dpkg-shlibdeps file)
    find_program(found_${tool} ${tool})
    if(NOT found_${tool})
      message(FATAL_ERROR "${tool} is missing, which finds out what the package depends on: apt install dpkg-dev file")
    endif()
  endforeach()
endif()
