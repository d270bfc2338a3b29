#pragma once

#include <string>
#include <string_view>

namespace cuboid::detail {

/// Where a matrix lies: a file, or a dataset of an HDF5 file, written "file.h5:/group/A".
struct MatrixPath {
  std::string file;
  /// With the slash it begins with; empty where the path names a file only.
  std::string dataset = {};

  /// The file is what ends with .h5 or .hdf5 before a colon; all else is a file's name.
  static MatrixPath of(std::string_view path);

  /// Whether the file's name says HDF5.
  bool is_hdf5() const;
};

}  // namespace cuboid::detail
