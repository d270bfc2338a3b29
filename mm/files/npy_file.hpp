#pragma once

#include <cuboid/matrix.hpp>

#include "mm/files/file_descriptor.hpp"
#include "mm/files/npy_header.hpp"

#include <cstdint>
#include <string>

namespace cuboid::detail {

/// A .npy file that is open for reading. Its header has been read, and its length checked.
struct NpyFile {
  FileDescriptor file;
  NpyHeader header;
  std::uint64_t data_offset = 0;  ///< the byte at which the elements begin
};

/// Opens a .npy file. Throws Error(io) or Error(parse) with the file's name.
NpyFile open_npy(const std::string& path);

/// Reads this rank's part of a matrix of the file's size. Type T must be able to hold the file's
/// elements. Not collective. Throws Error(io), and Error(parse) for integers that T cannot hold
/// exactly.
template <MatrixElement T>
void read_local_part(const NpyFile& npy, Matrix<T>& matrix);

}  // namespace cuboid::detail
