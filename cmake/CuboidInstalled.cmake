# CUBOID_INSTALLED: the Python package alone, as for one more Python, with the libcuboid of an installed tree. Internal
# headers are used, too, so both must be of the same version.
find_package(Cuboid ${PROJECT_VERSION} EXACT REQUIRED)
find_package(fmt REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
include(CuboidInstallIfBuilt)
add_library(cuboid_internals INTERFACE)
target_include_directories(cuboid_internals INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(cuboid_internals INTERFACE Cuboid::cuboid fmt::fmt)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # the library's folder
add_subdirectory(bindings)
