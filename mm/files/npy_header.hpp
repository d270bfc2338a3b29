#pragma once

#include <cuboid/element.hpp>

#include "mm/matrix/stored_numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// The header of a NumPy .npy file.
struct NpyHeader {
  StoredNumbers stored = {};  ///< how numbers are stored; element_type_for() has a type for them
  ElementOrder order = ElementOrder::row_major;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  bool operator==(const NpyHeader&) const = default;

  ElementType type() const { return *element_type_for(stored); }
};

/// The number of bytes that npy_text_range() needs: the fixed part of every .npy file.
inline constexpr std::size_t npy_preamble_bytes = 12;

/// The range of the header's text in the file. The elements begin at its end.
struct NpyTextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// True if a file that begins with `bytes` declares itself .npy.
bool is_npy(std::span<const std::byte> bytes);

/// Reads a file's first npy_preamble_bytes bytes, of format version 1, 2 or 3. Throws Error(parse),
/// without the file's name, for any other version and for a text longer than 1 MiB.
NpyTextRange npy_text_range(std::span<const std::byte> preamble);

/// Reads the header's text: a Python dictionary of 'descr', 'fortran_order' and 'shape'. Throws
/// Error(parse), without the file's name, if it is malformed. Throws Error(parse) with the remedy
/// if it does not describe a matrix of numbers that an element type can hold, or if the matrix is
/// too large for 64-bit sizes.
NpyHeader parse_npy_header(std::string_view text);

/// The bytes in front of the elements (format version 1, a multiple of 64 bytes). The elements
/// follow as they are in memory.
std::string format_npy_header(const NpyHeader& header);

}  // namespace cuboid::detail
