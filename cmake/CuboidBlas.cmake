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
