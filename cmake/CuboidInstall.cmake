include(CuboidInstallIfBuilt)
set(CUBOID_PACKAGE_DIRECTORY ${CMAKE_INSTALL_LIBDIR}/cmake/Cuboid)
file(RELATIVE_PATH CUBOID_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")

# cuboid_install_library(TARGET): the library, its CMake targets (a file of its own, so that CuboidConfig.cmake
# knows what is there) and its description for pkg-config, TARGET.pc.in in the same folder, if it has one.
macro(cuboid_install_library target)
  cuboid_install_if_built(${target})
  install(TARGETS ${target} EXPORT ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${target} NAMESPACE Cuboid:: DESTINATION ${CUBOID_PACKAGE_DIRECTORY})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${target}.pc.in)
    configure_file(${target}.pc.in ${PROJECT_BINARY_DIR}/${target}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endmacro()

add_subdirectory(include)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(PROJECT_IS_TOP_LEVEL)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
          FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.c PATTERN *.cpp PATTERN *.f90 PATTERN *.ipynb
          PATTERN examples/*.py PATTERN examples/CMakeLists.txt)
  install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CITATION.cff
          DESTINATION ${CMAKE_INSTALL_DOCDIR})
  # The lab, as `cuboid-lab`.
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/lab DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/cuboid)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/cuboid_lab DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/cuboid
          PATTERN __pycache__ EXCLUDE)
  file(RELATIVE_PATH to_lab "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBEXECDIR}/cuboid/lab")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cuboid-lab @ONLY CONTENT
    "#!/bin/sh\nexec \"$(dirname -- \"$(readlink -f -- \"$0\")\")/@to_lab@\" \"$@\"\n")
  install(PROGRAMS ${PROJECT_BINARY_DIR}/cuboid-lab DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
