# CUBOID_HDF5_LIBRARY, CUBOID_HDF5_INCLUDE: the HDF5 library that matrices in .h5 files are read and written with, and its
# header. Loaded at run time, never linked; empty where there is none, or with -DCUBOID_HDF5=OFF.
option(CUBOID_HDF5 "Read and write datasets of HDF5 files, where the library is found" ON)
set(CUBOID_HDF5_LIBRARY "")
if(CUBOID_HDF5)
  find_library(CUBOID_HDF5_FOUND_LIBRARY NAMES hdf5_openmpi hdf5_mpich hdf5_serial hdf5)
  if(CUBOID_HDF5_FOUND_LIBRARY)
    string(REGEX MATCH "openmpi|mpich|serial" cuboid_hdf5_kind "${CUBOID_HDF5_FOUND_LIBRARY}")
    find_path(CUBOID_HDF5_INCLUDE hdf5.h PATHS /usr/include/hdf5/${cuboid_hdf5_kind})
  endif()
  if(CUBOID_HDF5_FOUND_LIBRARY AND CUBOID_HDF5_INCLUDE)
    # Not the link for building, which the runtime package lacks, but the name that every release of the same interface
    # has, e.g. libhdf5_openmpi.so.103.
    file(GLOB cuboid_hdf5_files ${CUBOID_HDF5_FOUND_LIBRARY}.*)
    list(APPEND cuboid_hdf5_files ${CUBOID_HDF5_FOUND_LIBRARY})
    list(GET cuboid_hdf5_files 0 CUBOID_HDF5_LIBRARY)
    message(STATUS "Matrices in .h5 files by ${CUBOID_HDF5_LIBRARY}")
  else()
    message(STATUS "No HDF5 (Debian's libhdf5-openmpi-dev): matrices in .h5 files are refused")
  endif()
endif()
