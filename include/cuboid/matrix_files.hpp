#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <string>

namespace cuboid {

/// The kinds of matrix files: NumPy's .npy, Matrix Market's .mtx, and datasets of HDF5 files. The
/// path of a dataset is "file.h5:/group/name". An HDF5 file that exists may have any name, such as
/// "file.nc:/A" and "file.mat:/A" (MATLAB from 7.3 on). The name of a new file ends in .h5 or
/// .hdf5. HDF5 files need a Cuboid built with HDF5; without it there is an Error(unsupported) that
/// says so.
enum class MatrixFileFormat { npy, matrix_market, hdf5 };

/// The description of a matrix in a file's header.
struct MatrixFileDescription {
  MatrixFileFormat format = MatrixFileFormat::npy;
  /// The element type; float64 or complex128 for Matrix Market, whose text has no precision.
  ElementType type = ElementType::float64;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Reads the header of a matrix file. The file's first bytes tell its format. Not collective.
/// Throws Error(io) if the file cannot be read, and Error(parse) with path (and line) if it is
/// malformed or its size differs from the size that its header tells.
CUBOID_API MatrixFileDescription describe_matrix_file(const std::string& path);

/// How a matrix file is read.
struct MatrixFileOptions {
  /// If a Matrix Market file has several entries for an element, adds them, as SciPy and MATLAB do.
  /// Otherwise they are an Error(parse), because most come from mistakes.
  bool sum_duplicates = false;
};

/// Reads a matrix file into a new matrix. Each rank reads its own elements through a buffer of a
/// few MiB. Of a .npy file a rank reads only its own pieces. A Matrix Market file, compressed by
/// gzip or not, it scans whole, but it converts only its own numbers. An HDF5 dataset of any
/// storage it reads through the HDF5 library. Numbers in a .npy file or a dataset may be
/// floating-point numbers of 16 to 64 bits, complex numbers, integers and booleans (.npy), in
/// either byte order. An integer that T cannot hold exactly is an Error(parse). Every rank must be
/// able to open `path`. Collective.
/// @param layout  a layout of a matrix of the file's size.
/// Throws the same error on every rank: Error(io), Error(parse) with path (and line),
/// Error(invalid_argument) if the layout has another size than the file or T cannot hold the file's
/// elements, Error(out_of_memory).
template <MatrixElement T>
CUBOID_API Matrix<T> read_matrix(const std::string& path, const Layout& layout,
                                 const Communicator& communicator,
                                 const MatrixFileOptions& options = {});

/// Reads a matrix file into an existing matrix of the file's size. Collective; errors as above.
template <MatrixElement T>
CUBOID_API void read_matrix(const std::string& path, Matrix<T>& matrix,
                            const MatrixFileOptions& options = {});

/// Writes a matrix file. The path's extension tells the format: .npy, .mtx, or a dataset of a .h5
/// file. Each rank writes its own elements through a buffer of a few MiB. The new file replaces an
/// old one only when it is complete and on the device; after an error the old file is still there.
/// A .h5 file keeps its other datasets: the file is copied, then replaced. Every rank must see the
/// folder that rank 0 writes to. Collective.
/// @param order  the order of elements in a .npy file; column-major needs no reordering. A .mtx
///               file is column-major, an HDF5 dataset row-major.
/// Throws the same error on every rank: Error(io), Error(invalid_argument) for another extension.
template <MatrixElement T>
CUBOID_API void write_matrix(const std::string& path, const Matrix<T>& matrix,
                             ElementOrder order = ElementOrder::column_major);

/// Checks, as far as possible beforehand, that write_matrix() can write to `path`. Not collective.
/// Throws Error(io) or Error(invalid_argument) with the remedy.
CUBOID_API void check_matrix_file_writable(const std::string& path);

}  // namespace cuboid
