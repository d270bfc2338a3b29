include(CMakePackageConfigHelpers)

set(cuboid_package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Cuboid)
# Targets are optional when installing: tools/demo builds the command alone, and what is built is installed.
install(TARGETS cuboid EXPORT CuboidTargets LIBRARY OPTIONAL)
install(EXPORT CuboidTargets NAMESPACE Cuboid:: DESTINATION ${cuboid_package_directory})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/CuboidConfig.cmake.in
  ${PROJECT_BINARY_DIR}/CuboidConfig.cmake INSTALL_DESTINATION ${cuboid_package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CuboidConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CuboidConfig.cmake ${PROJECT_BINARY_DIR}/CuboidConfigVersion.cmake
        DESTINATION ${cuboid_package_directory})
file(RELATIVE_PATH CUBOID_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${PROJECT_SOURCE_DIR}/cmake/cuboid.pc.in ${PROJECT_BINARY_DIR}/cuboid.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cuboid.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
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
