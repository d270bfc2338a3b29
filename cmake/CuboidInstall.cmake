include(CMakePackageConfigHelpers)

set(cuboid_package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Cuboid)
install(TARGETS cuboid EXPORT CuboidTargets)
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
