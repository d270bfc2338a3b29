#pragma once

#include <cuboid/matrix.hpp>

#include "mm/files/matrix_market.hpp"

#include <string>

namespace cuboid::detail {

/// Reads the header of a Matrix Market file. Throws Error(io) or Error(parse) with file and line.
MatrixMarketHeader read_matrix_market_header(const std::string& path);

/// Reads this rank's part of a matrix of the file's size, whose type T holds the file's field;
/// where a coordinate file has no entry, the element is 0. Not collective: every rank scans the
/// whole file, and converts and checks the values of its own elements only. Throws Error(io) or
/// Error(parse) with file and line, Error(out_of_memory).
template <MatrixElement T>
void read_local_part(const std::string& path, Matrix<T>& matrix);

}  // namespace cuboid::detail
