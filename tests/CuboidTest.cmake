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
  # GCC 12's runtime guesses where loaded libraries' thread-local memory lies by what stands before it, and crashes in
  # the search for leaks where it guesses wrong: it is not to look there.
  set(CUBOID_TEST_ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/sanitizers/lsan.supp:intercept_tls_get_addr=0")
endif()

# Of tests under mpirun: Open MPI unloads plugins whose memory it never frees, and such leaks have no name to suppress
# them by.
set(CUBOID_TEST_ENVIRONMENT_UNDER_MPI "${CUBOID_TEST_ENVIRONMENT}")
if(CUBOID_SANITIZE MATCHES "address")
  set(CUBOID_TEST_ENVIRONMENT_UNDER_MPI ASAN_OPTIONS=detect_leaks=0)
endif()

# Tests are compiled oftener than they run long: what takes time in them is the library, which is optimised.
if(CUBOID_SANITIZE)
  set(CUBOID_TEST_OPTIMISATION -O0)
else()
  set(CUBOID_TEST_OPTIMISATION -Og)
endif()

# What every test program is compiled and linked with; how they find it, their headers, is compiled once.
add_library(cuboid_test_base OBJECT ${CMAKE_CURRENT_LIST_DIR}/no_parameters.cpp)
target_link_libraries(cuboid_test_base PUBLIC cuboid_internals fmt::fmt nlohmann_json::nlohmann_json GTest::gtest)
target_precompile_headers(cuboid_test_base PRIVATE <gtest/gtest.h> <fmt/format.h> <algorithm> <functional> <map>
                          <memory> <numeric> <optional> <random> <span> <string> <vector>)
cuboid_compile_options(cuboid_test_base)
target_compile_options(cuboid_test_base PRIVATE ${CUBOID_TEST_OPTIMISATION})

function(cuboid_test_program name)
  add_executable(${name} ${ARGN})
  cuboid_compile_options(${name})
  target_compile_options(${name} PRIVATE ${CUBOID_TEST_OPTIMISATION})
  # Each file's helpers are in a namespace of the file's name, so that files can be compiled together: most of the time
  # goes into headers that they share.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  target_link_libraries(${name} PRIVATE cuboid_test_base)
  target_precompile_headers(${name} REUSE_FROM cuboid_test_base)
endfunction()

# Without UCX threads are no ranks: tests that need them are skipped.
set(CUBOID_TEST_SKIPS "")
if(NOT CUBOID_UCX)
  set(CUBOID_TEST_SKIPS SKIP_REGULAR_EXPRESSION "SKIPPED|this Cuboid was built without UCX")
endif()

# cuboid_add_test(name sources...): one GoogleTest program; its cases become ctest tests.
function(cuboid_add_test name)
  cuboid_test_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  # An empty value would be dropped, and the next property's name be taken for it.
  set(properties TIMEOUT ${CUBOID_TEST_TIMEOUT} ${CUBOID_TEST_SKIPS})
  if(CUBOID_TEST_LABELS)
    list(APPEND properties LABELS ${CUBOID_TEST_LABELS})
  endif()
  if(CUBOID_TEST_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT ${CUBOID_TEST_ENVIRONMENT})
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

# The transports that tests under mpirun are run with.
set(CUBOID_TEST_TRANSPORTS mpi)
if(CUBOID_UCX)
  list(PREPEND CUBOID_TEST_TRANSPORTS ucx)
endif()

# cuboid_add_mpi_test(name ranks sources...): one program with a main() of its own, which mpirun starts as often as each
# number of the list `ranks` says, a test for each and for each transport; it fails where any of them returns other than 0.
function(cuboid_add_mpi_test name ranks)
  cuboid_test_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE MPI::MPI_C)
  foreach(count IN LISTS ranks)
    foreach(transport IN LISTS CUBOID_TEST_TRANSPORTS)
      set(test ${name}.on_${count}_ranks_by_${transport})
      add_test(NAME ${test}
        COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_mpi.sh ${MPIEXEC_EXECUTABLE} ${count} $<TARGET_FILE:${name}>)
      set_tests_properties(${test} PROPERTIES TIMEOUT ${CUBOID_TEST_TIMEOUT} PROCESSORS ${count}
        ENVIRONMENT "${CUBOID_TEST_ENVIRONMENT_UNDER_MPI};CUBOID_TRANSPORT=${transport}")
    endforeach()
  endforeach()
endfunction()

# cuboid_add_pmix_test(name ranks program...): a program without MPI that mpirun starts, as Open MPI's mpirun is a
# launcher with PMIx.
function(cuboid_add_pmix_test name ranks)
  if(NOT CUBOID_UCX OR NOT CUBOID_MPI_IS_OPEN_MPI)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_mpi.sh ${MPIEXEC_EXECUTABLE} ${ranks} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${CUBOID_TEST_TIMEOUT} PROCESSORS ${ranks}
    ENVIRONMENT "${CUBOID_TEST_ENVIRONMENT_UNDER_MPI}")
endfunction()
