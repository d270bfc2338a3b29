# Fortran, where there is a compiler: CUBOID_FORTRAN, and the folder of its ISO_Fortran_binding.h.
find_program(CUBOID_FORTRAN NAMES gfortran gfortran-14 gfortran-13 gfortran-12)
if(CUBOID_FORTRAN)
  set(CMAKE_Fortran_COMPILER ${CUBOID_FORTRAN})
  enable_language(Fortran)
  find_package(MPI COMPONENTS Fortran)
  # The header lies in GCC's own folder, which another C++ compiler would not look into.
  execute_process(COMMAND ${CUBOID_FORTRAN} -print-file-name=include OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(CUBOID_FORTRAN_HEADERS ISO_Fortran_binding.h HINTS ${headers} NO_DEFAULT_PATH)
endif()
