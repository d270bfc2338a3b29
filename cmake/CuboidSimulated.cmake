# Programs on the library, its transport that is MPI, and SimGrid's MPI, whose ranks are simulated. What knows MPI is
# compiled a second time, as that MPI's header is another. bench/smpi/run starts such programs.
pkg_check_modules(SIMGRID IMPORTED_TARGET GLOBAL simgrid>=3.30)
find_program(CUBOID_SMPIRUN smpirun)
if(NOT SIMGRID_FOUND OR NOT CUBOID_SMPIRUN)
  message(WARNING "No SimGrid (Debian's libsimgrid-dev): nothing is simulated at scale")
  return()
endif()
# cuboid_simulated_library(name floor): what is not pure of the floor, for simulated ranks.
function(cuboid_simulated_library name floor)
  get_target_property(sources cuboid_${floor} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/collectives/ucx/")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${sources})
  cuboid_simulated_options(${name})
endfunction()

function(cuboid_simulated_options name)
  cuboid_compile_options(${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE -O1)
  target_compile_definitions(${name} PRIVATE CUBOID_SIMULATED)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(${name} SYSTEM BEFORE PRIVATE ${SIMGRID_INCLUDEDIR}/smpi)
  target_link_libraries(${name} PRIVATE fmt::fmt nlohmann_json::nlohmann_json PkgConfig::HWLOC PkgConfig::LIBNL
                        Threads::Threads ZLIB::ZLIB PkgConfig::SIMGRID)
endfunction()

# cuboid_simulated_program(name libraries... SOURCES sources...): what smpirun loads, with the floors that do not know
# MPI.
function(cuboid_simulated_program name)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES" ${ARGN})
  add_library(${name} MODULE ${PROGRAM_SOURCES}
    $<TARGET_OBJECTS:cuboid_base> $<TARGET_OBJECTS:cuboid_devices> $<TARGET_OBJECTS:cuboid_topology>
    $<TARGET_OBJECTS:cuboid_models> $<TARGET_OBJECTS:cuboid_collectives_pure>
    ${PROJECT_SOURCE_DIR}/bench/smpi/simulated_clock.cpp)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "")
  cuboid_simulated_options(${name})
  target_link_libraries(${name} PRIVATE ${PROGRAM_UNPARSED_ARGUMENTS} ${CMAKE_DL_LIBS})
  target_link_options(${name} PRIVATE LINKER:--no-undefined)
endfunction()
