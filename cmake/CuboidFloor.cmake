# The house: floors of rooms (see ARCHITECTURE.md). Each floor is one object library.
#
#   cuboid_room("What lives in it."
#     MAY_INCLUDE room...    the other rooms whose headers it includes
#     PUBLIC header...       what it gives to include/cuboid
#     SOURCES file...)
#
# stands in the CMakeLists.txt of every room. tools/scripts/rooms checks all includes against these lines.
# cuboid_add_floor(), in the floor's own CMakeLists.txt, makes a library of all its rooms.

# MPI's C interface is all that is used: without these, mpi.h drags its retired C++ bindings in.
set(CUBOID_MPI_DEFINITIONS OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

function(cuboid_room purpose)
  cmake_parse_arguments(ROOM "" "" "MAY_INCLUDE;PUBLIC;SOURCES" ${ARGN})
  file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" floor ${room})
  list(TRANSFORM ROOM_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY CUBOID_SOURCES_OF_${floor} ${ROOM_SOURCES})
  set_property(GLOBAL PROPERTY CUBOID_SOURCES_OF_ROOM_${room} ${ROOM_SOURCES})
  set_property(GLOBAL APPEND PROPERTY CUBOID_PUBLIC_HEADERS ${ROOM_PUBLIC})
endfunction()

# The sources of all rooms of a floor.
function(cuboid_floor_sources name result)
  get_property(sources GLOBAL PROPERTY CUBOID_SOURCES_OF_${name})
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# The sources of some rooms.
function(cuboid_room_sources result)
  set(all "")
  foreach(room IN LISTS ARGN)
    get_property(sources GLOBAL PROPERTY CUBOID_SOURCES_OF_ROOM_${room})
    list(APPEND all ${sources})
  endforeach()
  set(${result} ${all} PARENT_SCOPE)
endfunction()

function(cuboid_add_floor name)
  cmake_parse_arguments(FLOOR "" "" "LIBRARIES" ${ARGN})
  set(target cuboid_${name})
  cuboid_floor_sources(${name} sources)
  add_library(${target} OBJECT ${sources})
  cuboid_compile_options(${target})
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    # What others may call is marked CUBOID_API.
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PRIVATE ${CUBOID_MPI_DEFINITIONS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE ${FLOOR_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY CUBOID_FLOORS ${name})
  set_property(GLOBAL APPEND PROPERTY CUBOID_LINK_LIBRARIES ${FLOOR_LIBRARIES})
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

# Asks for a floor that is optimised across its files.
function(cuboid_optimise_floor name)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CUBOID_SANITIZE)
    target_compile_options(cuboid_${name} PRIVATE -flto=auto -fno-fat-lto-objects)
    set_property(GLOBAL PROPERTY CUBOID_OPTIMISED_${name} ON)
  endif()
endfunction()

# The objects of all floors. Those of an optimised floor become one ordinary object: whatever is linked with it, the
# tests as well, need not do that again.
function(cuboid_library_objects result)
  get_property(floors GLOBAL PROPERTY CUBOID_FLOORS)
  set(objects "")
  foreach(floor IN LISTS floors)
    get_property(optimised GLOBAL PROPERTY CUBOID_OPTIMISED_${floor})
    if(optimised)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/cuboid_${floor}.o)
      add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_CXX_COMPILER} -O3 -fPIC -flto -flto-partition=one -flinker-output=nolto-rel -r -nostdlib
                $<TARGET_OBJECTS:cuboid_${floor}> -o ${object}
        DEPENDS cuboid_${floor} $<TARGET_OBJECTS:cuboid_${floor}>
        COMMAND_EXPAND_LISTS VERBATIM
        COMMENT "Optimising the floor ${floor} across its files")
      list(APPEND objects ${object})
    else()
      list(APPEND objects $<TARGET_OBJECTS:cuboid_${floor}>)
    endif()
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# Two libraries of the same objects: `cuboid`, which programs link and which shows its public headers and symbols only;
# and `cuboid_internals`, for the command, the tests and the benchmarks of this tree.
function(cuboid_add_libraries)
  get_property(libraries GLOBAL PROPERTY CUBOID_LINK_LIBRARIES)
  list(REMOVE_DUPLICATES libraries)
  cuboid_library_objects(objects)

  # Shared, so that what Cuboid stands on (UCX, hwloc, ...) stays its own affair: users link one name.
  add_library(cuboid SHARED ${objects})
  add_library(Cuboid::cuboid ALIAS cuboid)
  set_target_properties(cuboid PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX)
  target_compile_features(cuboid PUBLIC cxx_std_20)
  target_compile_definitions(cuboid INTERFACE ${CUBOID_MPI_DEFINITIONS})
  target_include_directories(cuboid INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(cuboid PRIVATE ${libraries})
  target_link_options(cuboid PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/cuboid.symbols)
  set_target_properties(cuboid PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/cuboid.symbols)

  add_library(cuboid_internals STATIC ${objects})
  set_target_properties(cuboid_internals PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(cuboid_internals PUBLIC cxx_std_20)
  target_compile_definitions(cuboid_internals INTERFACE ${CUBOID_MPI_DEFINITIONS})
  target_include_directories(cuboid_internals INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(cuboid_internals PUBLIC ${libraries})

  if(CUBOID_SANITIZE)
    target_link_options(cuboid PUBLIC -fsanitize=${CUBOID_SANITIZE})
    target_link_options(cuboid_internals PUBLIC -fsanitize=${CUBOID_SANITIZE})
  endif()
endfunction()
