# CUBOID_BLAS_LIBRARY: the CBLAS library that local multiplications load at run time unless the environment
# variable CUBOID_BLAS names another. Never linked, so its runtime package is enough (Debian: libblis4-pthread).
#
# Of BLIS's three variants the one with POSIX threads: it starts threads only when asked for more than one and is
# as fast as the one with OpenMP, whose idle threads spin on cores that other ranks need; the one without threads
# lets concurrent ranks of a process multiply only one after the other.
if(NOT CUBOID_BLAS_LIBRARY)
  file(GLOB cuboid_blis_candidates
    /usr/lib/*/blis-pthread/libblis.so.* /usr/lib/*/libblis.so.* /usr/lib/libblis.so.* /usr/lib64/libblis.so.*
    /usr/local/lib/libblis.so.*)
  find_library(cuboid_blis blis PATH_SUFFIXES blis-pthread blis-openmp NO_CACHE)
  if(cuboid_blis)
    list(APPEND cuboid_blis_candidates ${cuboid_blis})
  endif()
  if(NOT cuboid_blis_candidates)
    message(FATAL_ERROR "No BLIS library found: install Debian's libblis4-pthread, or give any CBLAS library with "
                        "-DCUBOID_BLAS_LIBRARY=/path/to/lib.so")
  endif()
  list(GET cuboid_blis_candidates 0 cuboid_blis_default)
  set(CUBOID_BLAS_LIBRARY ${cuboid_blis_default} CACHE FILEPATH "The CBLAS library local multiplications load" FORCE)
endif()
message(STATUS "Local multiplications load ${CUBOID_BLAS_LIBRARY}")

# CUBOID_LAPACK_LIBRARY: the LAPACK that local factorisations load at run time where the library of CUBOID_BLAS has
# none. Never linked, too. OpenBLAS first: it carries a LAPACK whose LU, Cholesky and triangular solves are its own
# and several times as fast as the reference's.
if(NOT CUBOID_LAPACK_LIBRARY)
  # A glob sorts what it finds, so each kind has one of its own.
  set(cuboid_lapack_candidates)
  foreach(pattern openblas-pthread/libopenblas.so.0 libopenblas.so.0 lapack/liblapack.so.3 liblapack.so.3)
    file(GLOB cuboid_lapack_files /usr/lib/*/${pattern} /usr/lib64/${pattern})
    list(APPEND cuboid_lapack_candidates ${cuboid_lapack_files})
  endforeach()
  find_library(cuboid_lapack NAMES openblas lapack NO_CACHE)
  if(cuboid_lapack)
    list(APPEND cuboid_lapack_candidates ${cuboid_lapack})
  endif()
  if(NOT cuboid_lapack_candidates)
    message(FATAL_ERROR "No LAPACK library found: install Debian's libopenblas0-pthread, or give any with "
                        "-DCUBOID_LAPACK_LIBRARY=/path/to/lib.so")
  endif()
  list(GET cuboid_lapack_candidates 0 cuboid_lapack_default)
  set(CUBOID_LAPACK_LIBRARY ${cuboid_lapack_default} CACHE FILEPATH "The LAPACK library local factorisations load" FORCE)
endif()
message(STATUS "Local factorisations load ${CUBOID_LAPACK_LIBRARY}")
