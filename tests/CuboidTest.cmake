# What tests run in where sanitizers are on: what is suppressed there is not Cuboid's own.
set(cuboid_suppressions ${CMAKE_CURRENT_LIST_DIR}/sanitizers)
set(CUBOID_TEST_ENVIRONMENT "")
if(CUBOID_SANITIZE MATCHES "thread")
  list(APPEND CUBOID_TEST_ENVIRONMENT "TSAN_OPTIONS=suppressions=${cuboid_suppressions}/tsan.supp")
endif()
if(CUBOID_SANITIZE MATCHES "address")
  list(APPEND CUBOID_TEST_ENVIRONMENT "LSAN_OPTIONS=suppressions=${cuboid_suppressions}/lsan.supp")
endif()
if(CUBOID_SANITIZE MATCHES "undefined")
  list(APPEND CUBOID_TEST_ENVIRONMENT "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1")
endif()

# cuboid_add_test(name sources...): one GoogleTest program; its cases become ctest tests.
function(cuboid_add_test name)
  add_executable(${name} ${ARGN})
  cuboid_compile_options(${name})
  target_link_libraries(${name} PRIVATE cuboid fmt::fmt nlohmann_json::nlohmann_json GTest::gtest_main)
  # The list must survive being handed on as one value.
  string(REPLACE ";" "\\;" environment "${CUBOID_TEST_ENVIRONMENT}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300 ENVIRONMENT "${environment}")
endfunction()

# cuboid_add_mpi_test(name ranks sources...): one program with a main() of its own, which mpirun starts `ranks`
# times; it fails where any of them returns other than 0.
function(cuboid_add_mpi_test name ranks)
  add_executable(${name} ${ARGN})
  cuboid_compile_options(${name})
  target_link_libraries(${name} PRIVATE cuboid fmt::fmt GTest::gtest MPI::MPI_C)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_mpi.sh ${MPIEXEC_EXECUTABLE} ${ranks} $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS ${ranks} ENVIRONMENT "${CUBOID_TEST_ENVIRONMENT}")
endfunction()
