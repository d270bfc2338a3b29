# What tests run in where sanitizers are on: what is suppressed there is not Cuboid's own. One variable only:
# gtest_discover_tests() cannot hand on more.
set(CUBOID_TEST_ENVIRONMENT "")
set(CUBOID_TEST_TIMEOUT 300)
if(CUBOID_SANITIZE)
  set(CUBOID_TEST_TIMEOUT 900)
endif()
if(CUBOID_SANITIZE MATCHES "thread")
  set(CUBOID_TEST_ENVIRONMENT "TSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/sanitizers/tsan.supp")
elseif(CUBOID_SANITIZE MATCHES "address")
  set(CUBOID_TEST_ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/sanitizers/lsan.supp")
endif()

# cuboid_add_test(name sources...): one GoogleTest program; its cases become ctest tests.
function(cuboid_add_test name)
  add_executable(${name} ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/no_parameters.cpp)
  cuboid_compile_options(${name})
  target_link_libraries(${name} PRIVATE cuboid fmt::fmt nlohmann_json::nlohmann_json GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${CUBOID_TEST_TIMEOUT} ENVIRONMENT "${CUBOID_TEST_ENVIRONMENT}")
endfunction()

# cuboid_add_mpi_test(name ranks sources...): one program with a main() of its own, which mpirun starts `ranks`
# times; it fails where any of them returns other than 0.
function(cuboid_add_mpi_test name ranks)
  add_executable(${name} ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/no_parameters.cpp)
  cuboid_compile_options(${name})
  target_link_libraries(${name} PRIVATE cuboid fmt::fmt GTest::gtest MPI::MPI_C)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_mpi.sh ${MPIEXEC_EXECUTABLE} ${ranks} $<TARGET_FILE:${name}>)
  set(environment ${CUBOID_TEST_ENVIRONMENT})
  if(CUBOID_SANITIZE MATCHES "address")
    # Open MPI unloads plugins whose memory it never frees: such leaks have no name to suppress them by.
    set(environment ASAN_OPTIONS=detect_leaks=0)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${CUBOID_TEST_TIMEOUT} PROCESSORS ${ranks}
                       ENVIRONMENT "${environment}")
endfunction()
