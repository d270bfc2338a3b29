#pragma once

#include <cuboid/matrix.hpp>

#include "mm/files/matrix_market.hpp"

#include <string>

namespace cuboid::detail {

/// Reads the header of a Matrix Market file, compressed by gzip or not. Throws Error(io) or
/// Error(parse) with file and line.
MatrixMarketHeader read_matrix_market_header(const std::string& path);

/// Reads this rank's part of a matrix of the file's size. Type T must be able to hold the file's
/// field. An element without an entry in a coordinate file is 0. Not collective: every rank scans
/// the whole file, but converts and checks only the values of its own elements. Throws Error(io) or
/// Error(parse) with file and line, Error(out_of_memory).
/// @param sum_duplicates  true: adds the entries of an element that has several entries; false:
///                        several entries are an error.
template <MatrixElement T>
void read_local_part(const std::string& path, Matrix<T>& matrix, bool sum_duplicates);

}  // namespace cuboid::detail
