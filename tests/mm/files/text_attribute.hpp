#pragma once

#include "mm/files/hdf5_library.hpp"

#include <string>

namespace cuboid::detail {

/// Gives a dataset an attribute of text without a fixed length, as h5py writes it. Whether that
/// went well.
inline bool add_text(const std::string& file, const char* dataset_name, const char* name,
                     const char* text) {
  const Hdf5Library& hdf5 = Hdf5Library::get();
  const Hdf5Turn turn(hdf5);
  const SharedLibrary library(CUBOID_HDF5_LIBRARY);
  auto* const copy_type = library.find<decltype(::H5Tcopy)>("H5Tcopy");
  auto* const set_size = library.find<decltype(::H5Tset_size)>("H5Tset_size");
  const Hdf5Handle type(copy_type(*library.find<hid_t>("H5T_C_S1_g")), hdf5.Tclose);
  const Hdf5Handle opened(hdf5.Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), hdf5.Fclose);
  const Hdf5Handle dataset(hdf5.Dopen2(opened.get(), dataset_name, H5P_DEFAULT), hdf5.Dclose);
  const hsize_t one = 1;
  const Hdf5Handle space(hdf5.Screate_simple(1, &one, nullptr), hdf5.Sclose);
  if (set_size(type.get(), H5T_VARIABLE) < 0) return false;
  const Hdf5Handle made(
      hdf5.Acreate2(dataset.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      hdf5.Aclose);
  return made.is_open() &&
         hdf5.Awrite(made.get(), type.get(), static_cast<const void*>(&text)) >= 0;
}

}  // namespace cuboid::detail
