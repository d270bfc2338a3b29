#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// True if a file exists and declares itself HDF5. The declaration may follow a user block, which
/// MATLAB writes.
bool is_hdf5_file(const std::string& path);

/// The file that the part of a path before a colon names; nullopt if there is none.
std::optional<std::string> file_before_colon(std::string_view path);

/// The place of a matrix: a file, or a dataset of an HDF5 file, written "file.h5:/group/A".
struct MatrixPath {
  std::string file;
  /// The dataset's name with its leading slash; empty if the path names only a file.
  std::string dataset = {};

  /// Parses a path. The file is the part before a colon if this part ends with .h5 or .hdf5, or is
  /// the name of an HDF5 file. Otherwise the whole path is the file's name. Reads files.
  static MatrixPath of(std::string_view path);

  /// True if the file's name or its content shows that it is HDF5.
  bool is_hdf5() const;
};

}  // namespace cuboid::detail
