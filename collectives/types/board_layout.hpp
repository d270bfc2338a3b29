#pragma once

#include <cstddef>

namespace cuboid::detail {

/// How memory that the ranks of a node share for collectives is laid out: each rank has a few rows
/// that it writes and others read. A row's flag and, of a short one, its data share a cache line.
struct BoardLayout {
  static constexpr std::size_t rows = 8;                 ///< of a rank at once
  static constexpr std::size_t bytes_of_row = 32 << 10;  ///< with all that is before the data
  static constexpr std::size_t short_data = 16;          ///< where the data of a short row begins
  static constexpr std::size_t long_data = 64;           ///< and where that of a long one does
  static constexpr std::size_t longest_short = long_data - short_data;
  static constexpr std::size_t longest = bytes_of_row - long_data;
};

}  // namespace cuboid::detail
