#pragma once

#include <cstddef>

namespace cuboid::detail {

/// The layout of the memory that a node's ranks share for collectives. Each rank has a few rows
/// that it writes and the others read. A row begins with its flag. If the data is short, it shares
/// a cache line with the flag.
struct BoardLayout {
  static constexpr std::size_t rows = 8;                 ///< the rows of a rank
  static constexpr std::size_t bytes_of_row = 32 << 10;  ///< the flag and the data together
  static constexpr std::size_t short_data = 16;  ///< the offset in bytes of short data in a row
  static constexpr std::size_t long_data = 64;   ///< the offset in bytes of long data in a row
  static constexpr std::size_t longest_short = long_data - short_data;
  static constexpr std::size_t longest = bytes_of_row - long_data;
};

}  // namespace cuboid::detail
