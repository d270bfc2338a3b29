# The module file of the installed tree (packaging/module), for `module load cuboid`.
file(RELATIVE_PATH CUBOID_TO_PREFIX "/${CMAKE_INSTALL_DATADIR}/modulefiles/cuboid" "/")
set(CUBOID_MODULE_PYTHON "")
if(TARGET cuboid_python)
  set(CUBOID_MODULE_PYTHON "prepend-path PYTHONPATH \$root/${CUBOID_PYTHON_DIRECTORY}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/packaging/module/cuboid.in ${PROJECT_BINARY_DIR}/module/${PROJECT_VERSION} @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/module/${PROJECT_VERSION} DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/cuboid)
