# One object library per floor. A floor's headers are reachable as <cuboid/FLOOR/...> through an include
# directory of its own, handed on only to the floors that link it: an include that runs upwards does not compile.

# MPI's C interface is all that is used: without these, mpi.h drags its retired C++ bindings in.
set(CUBOID_MPI_DEFINITIONS OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

set(CUBOID_INCLUDE_ROOT ${PROJECT_BINARY_DIR}/include)

function(cuboid_add_floor name)
  cmake_parse_arguments(FLOOR "" "" "SOURCES;FLOORS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  set(target cuboid_${name})
  set(include_directory ${CUBOID_INCLUDE_ROOT}/${name})
  file(MAKE_DIRECTORY ${include_directory}/cuboid)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_directory}/cuboid/${name} SYMBOLIC)

  add_library(${target} OBJECT ${FLOOR_SOURCES})
  cuboid_compile_options(${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PUBLIC ${CUBOID_MPI_DEFINITIONS})
  target_include_directories(${target} PUBLIC ${include_directory})
  foreach(floor IN LISTS FLOOR_FLOORS)
    target_include_directories(${target} PUBLIC ${CUBOID_INCLUDE_ROOT}/${floor})
  endforeach()
  target_link_libraries(${target} PUBLIC ${FLOOR_LIBRARIES} PRIVATE ${FLOOR_PRIVATE_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY CUBOID_FLOORS ${name})
  set_property(GLOBAL APPEND PROPERTY CUBOID_LINK_LIBRARIES ${FLOOR_LIBRARIES} ${FLOOR_PRIVATE_LIBRARIES})
endfunction()

function(cuboid_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # A false alarm on std::string's operator+ (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(CMAKE_UNITY_BUILD)
    # Meant for headers: where files are compiled together, GCC takes them all for such.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  if(CUBOID_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CUBOID_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${CUBOID_SANITIZE})
  endif()
endfunction()

# The one library that users link: every floor in it.
function(cuboid_add_library)
  get_property(floors GLOBAL PROPERTY CUBOID_FLOORS)
  get_property(libraries GLOBAL PROPERTY CUBOID_LINK_LIBRARIES)
  list(REMOVE_DUPLICATES libraries)
  # Shared, so that what Cuboid stands on (UCX, hwloc, ...) stays its own affair: users link one name.
  add_library(cuboid SHARED)
  add_library(Cuboid::cuboid ALIAS cuboid)
  set_target_properties(cuboid PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(cuboid PUBLIC cxx_std_20)
  target_compile_definitions(cuboid PUBLIC ${CUBOID_MPI_DEFINITIONS})
  foreach(floor IN LISTS floors)
    target_sources(cuboid PRIVATE $<TARGET_OBJECTS:cuboid_${floor}>)
    target_include_directories(cuboid PUBLIC $<BUILD_INTERFACE:${CUBOID_INCLUDE_ROOT}/${floor}>)
  endforeach()
  target_include_directories(cuboid PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(cuboid PRIVATE ${libraries})
  if(CUBOID_SANITIZE)
    target_link_options(cuboid PUBLIC -fsanitize=${CUBOID_SANITIZE})
  endif()
endfunction()
