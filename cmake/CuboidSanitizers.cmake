# What code is compiled and linked with where sanitizers are on.
set(CUBOID_SANITIZER_COMPILE_OPTIONS "")
set(CUBOID_SANITIZER_LINK_OPTIONS "")
if(CUBOID_SANITIZE)
  set(CUBOID_SANITIZER_COMPILE_OPTIONS -fsanitize=${CUBOID_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
                                       -DCUBOID_SANITIZED)
  set(CUBOID_SANITIZER_LINK_OPTIONS -fsanitize=${CUBOID_SANITIZE})
  if(CUBOID_SANITIZE MATCHES address)
    set(file libasan.so)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      set(file libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
    endif()
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${file}
      OUTPUT_VARIABLE CUBOID_ADDRESS_SANITIZER OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Libraries that are loaded at run time have types of their own; and Clang 19 takes an array's first element, where it
    # is reached from the array's end, for one outside.
    list(APPEND CUBOID_SANITIZER_COMPILE_OPTIONS -fno-sanitize=function,object-size)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CUBOID_ADDRESS_SANITIZER)
    # As with GCC, one library that programs in every language load first.
    get_filename_component(directory ${CUBOID_ADDRESS_SANITIZER} DIRECTORY)
    list(APPEND CUBOID_SANITIZER_LINK_OPTIONS -shared-libsan LINKER:-rpath,${directory})
  endif()
endif()
