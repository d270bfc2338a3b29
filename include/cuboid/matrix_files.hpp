#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <string>

namespace cuboid {

/// The kinds of matrix files: NumPy's .npy and Matrix Market's .mtx.
enum class MatrixFileFormat { npy, matrix_market };

/// What a file says of the matrix in it.
struct MatrixFileDescription {
  MatrixFileFormat format = MatrixFileFormat::npy;
  /// What its elements are; for Matrix Market, whose text has no width, float64 or complex128.
  ElementType type = ElementType::float64;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Reads the header of a matrix file, recognised by how it begins. Not collective. Throws Error(io)
/// where it cannot be read and Error(parse) where it is malformed or shorter or longer than it
/// says, with its path (and line).
CUBOID_API MatrixFileDescription describe_matrix_file(const std::string& path);

/// Reads a matrix file into a new matrix; each rank reads what it owns, through a buffer of a few
/// MiB. A .npy file is read in pieces; a Matrix Market file is scanned by every rank, which
/// converts only its own numbers. Every rank must be able to open `path`. Collective.
/// @param layout  for a matrix of the file's size.
/// Throws Error(io), Error(parse) naming the file (and line), Error(invalid_argument) where the
/// layout is for another size or T cannot hold the file's elements, Error(out_of_memory): the same
/// on every rank.
template <MatrixElement T>
CUBOID_API Matrix<T> read_matrix(const std::string& path, const Layout& layout,
                                 const Communicator& communicator);

/// The same into a matrix of the file's size. Collective; errors as above.
template <MatrixElement T>
CUBOID_API void read_matrix(const std::string& path, Matrix<T>& matrix);

/// Writes a matrix file, .npy or .mtx by the path's ending; each rank writes what it owns, through
/// a buffer of a few MiB. What was at `path` stays until the new file is whole and on the device;
/// after an error it is still there. Every rank must see the folder that rank 0 writes to.
/// Collective.
/// @param order  in a .npy file; column-major needs no reordering. A .mtx file is column-major.
/// Throws Error(io) and Error(invalid_argument) for another ending: the same on every rank.
template <MatrixElement T>
CUBOID_API void write_matrix(const std::string& path, const Matrix<T>& matrix,
                             ElementOrder order = ElementOrder::column_major);

/// Checks as far as that can be known that write_matrix() could write to `path`. Not collective.
/// Throws Error(io) and Error(invalid_argument) with the remedy.
CUBOID_API void check_matrix_file_writable(const std::string& path);

}  // namespace cuboid
