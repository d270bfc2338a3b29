# Fortran, where there is a compiler: CUBOID_FORTRAN, and the folder of its ISO_Fortran_binding.h.
find_program(CUBOID_FORTRAN NAMES gfortran gfortran-14 gfortran-13 gfortran-12)
if(CUBOID_FORTRAN)
  set(CMAKE_Fortran_COMPILER ${CUBOID_FORTRAN})
  enable_language(Fortran)
  find_package(MPI COMPONENTS Fortran)
  # The header lies in GCC's own folder, beside others that no other C++ compiler should find.
  execute_process(COMMAND ${CUBOID_FORTRAN} -print-file-name=include OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(CUBOID_FORTRAN_HEADERS ${PROJECT_BINARY_DIR}/fortran_headers)
  configure_file(${headers}/ISO_Fortran_binding.h ${CUBOID_FORTRAN_HEADERS}/ISO_Fortran_binding.h COPYONLY)
endif()
