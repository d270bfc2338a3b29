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

# Leaves those sources of the room out whose paths match, as cuboid_room() lists what is there under every condition.
function(cuboid_leave_out pattern)
  file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" floor ${room})
  foreach(property CUBOID_SOURCES_OF_${floor} CUBOID_SOURCES_OF_ROOM_${room})
    get_property(sources GLOBAL PROPERTY ${property})
    list(FILTER sources EXCLUDE REGEX "/${room}${pattern}")
    set_property(GLOBAL PROPERTY ${property} ${sources})
  endforeach()
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

# cuboid_add_floor(NAME LIBRARIES library... [TOGETHER room...] [PURE room...])
#   TOGETHER       rooms that are compiled as one file, so that the compiler sees through the calls between them
#   PURE           rooms that do not know MPI: a library of their own, cuboid_NAME_pure, since programs with simulated
#                  ranks take them as they are
function(cuboid_add_floor name)
  cmake_parse_arguments(FLOOR "" "" "LIBRARIES;TOGETHER;PURE" ${ARGN})
  cuboid_floor_sources(${name} sources)
  list(TRANSFORM FLOOR_TOGETHER PREPEND ${name}/)
  list(TRANSFORM FLOOR_PURE PREPEND ${name}/)
  cuboid_room_sources(pure ${FLOOR_PURE})
  if(pure)
    list(REMOVE_ITEM sources ${pure})
    cuboid_floor_objects(${name}_pure SOURCES ${pure} LIBRARIES ${FLOOR_LIBRARIES})
  endif()
  cuboid_floor_objects(${name} SOURCES ${sources} LIBRARIES ${FLOOR_LIBRARIES})
  if(FLOOR_TOGETHER)
    cuboid_room_sources(together ${FLOOR_TOGETHER})
    cuboid_compile_together(cuboid_${name} ${together})
  endif()
endfunction()

function(cuboid_floor_objects name)
  cmake_parse_arguments(FLOOR "" "" "SOURCES;LIBRARIES" ${ARGN})
  set(target cuboid_${name})
  add_library(${target} OBJECT ${FLOOR_SOURCES})
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

# Compiles these sources of a target as one file, whatever the preset, and the others in batches of the preset's size.
function(cuboid_compile_together target)
  set(batch 16)
  if(CMAKE_UNITY_BUILD_BATCH_SIZE)
    set(batch ${CMAKE_UNITY_BUILD_BATCH_SIZE})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(others ${target} SOURCES)
  list(REMOVE_ITEM others ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP together)
  set(number 0)
  foreach(source IN LISTS others)
    math(EXPR group "${number} / ${batch}")
    math(EXPR number "${number} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  target_compile_options(${target} PRIVATE ${CUBOID_UNITY_OPTIONS})
endfunction()

# Meant for headers: where files are compiled together, GCC takes them all for such.
set(CUBOID_UNITY_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

# Not where another project builds Cuboid along, whose compiler may know more warnings.
set(CUBOID_WERROR_FLAG $<$<BOOL:${CUBOID_WARNINGS_ARE_ERRORS}>:-Werror>)

set(CUBOID_WARNINGS -Wall -Wextra -Wpedantic -Wconversion ${CUBOID_WERROR_FLAG})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # A false alarm on std::string's operator+ (GCC bug 105651).
  list(APPEND CUBOID_WARNINGS -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # -Wconversion as GCC means it; and std::stable_sort of GCC 12's library calls what the library itself deprecates.
  list(APPEND CUBOID_WARNINGS -Wno-sign-conversion -Wno-deprecated-declarations)
endif()

# cuboid_compile_options(target [OPTIMISATION flag...]): instead of the build type's.
function(cuboid_compile_options target)
  cmake_parse_arguments(COMPILE "" "" "OPTIMISATION" ${ARGN})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE ${COMPILE_OPTIMISATION})
  endif()
  target_compile_options(${target} PRIVATE ${CUBOID_WARNINGS})
  if(CMAKE_UNITY_BUILD)
    target_compile_options(${target} PRIVATE ${CUBOID_UNITY_OPTIONS})
  endif()
  target_compile_options(${target} PRIVATE ${CUBOID_SANITIZER_COMPILE_OPTIONS})
  target_link_options(${target} PUBLIC ${CUBOID_SANITIZER_LINK_OPTIONS})
endfunction()

# Two libraries of the same objects: `cuboid`, which programs link and which shows its public headers and symbols only;
# and `cuboid_internals`, for the command, the tests and the benchmarks of this tree.
function(cuboid_add_libraries)
  get_property(libraries GLOBAL PROPERTY CUBOID_LINK_LIBRARIES)
  list(REMOVE_DUPLICATES libraries)
  get_property(floors GLOBAL PROPERTY CUBOID_FLOORS)
  list(TRANSFORM floors REPLACE "(.+)" "$<TARGET_OBJECTS:cuboid_\\1>" OUTPUT_VARIABLE objects)

  # Shared, so that what Cuboid stands on (UCX, hwloc, ...) stays its own affair: users link one name.
  add_library(cuboid SHARED ${objects})
  add_library(Cuboid::cuboid ALIAS cuboid)
  set_target_properties(cuboid PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE CXX
    INSTALL_RPATH $ORIGIN)  # where what it loads may be, too
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

  target_link_options(cuboid PUBLIC ${CUBOID_SANITIZER_LINK_OPTIONS})
  target_link_options(cuboid_internals PUBLIC ${CUBOID_SANITIZER_LINK_OPTIONS})
endfunction()
