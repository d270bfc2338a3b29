#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// Whether a file is there and calls itself HDF5, be it after a user block, as MATLAB's have.
bool is_hdf5_file(const std::string& path);

/// The file that a part of the path before a colon names; nullopt if there is none.
std::optional<std::string> file_before_colon(std::string_view path);

/// Where a matrix lies: a file, or a dataset of an HDF5 file, written "file.h5:/group/A".
struct MatrixPath {
  std::string file;
  /// With the slash it begins with; empty where the path names a file only.
  std::string dataset = {};

  /// The file is what ends with .h5 or .hdf5 before a colon, or is an HDF5 file of another name;
  /// all else is a file's name. Looks into files.
  static MatrixPath of(std::string_view path);

  /// Whether the file's name says HDF5, or its content does.
  bool is_hdf5() const;
};

}  // namespace cuboid::detail
