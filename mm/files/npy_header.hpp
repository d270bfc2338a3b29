#pragma once

#include <cuboid/element.hpp>

#include "mm/matrix/stored_numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// What a NumPy .npy file says before its elements.
struct NpyHeader {
  StoredNumbers stored = {};  ///< of which element_type_for() knows the type
  ElementOrder order = ElementOrder::row_major;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  bool operator==(const NpyHeader&) const = default;

  ElementType type() const { return *element_type_for(stored); }
};

/// Bytes of the fixed part that every .npy file is at least long, and that npy_text_range() needs.
inline constexpr std::size_t npy_preamble_bytes = 12;

/// Where the header's text lies in the file; its end is where the elements begin.
struct NpyTextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Whether a file that begins with `bytes` calls itself .npy.
bool is_npy(std::span<const std::byte> bytes);

/// Reads a file's first npy_preamble_bytes bytes: format versions 1, 2 and 3. Throws Error(parse),
/// without the file's name, for any other version and a text longer than 1 MiB.
NpyTextRange npy_text_range(std::span<const std::byte> preamble);

/// Reads the header's text: a Python dictionary of 'descr', 'fortran_order' and 'shape'. Throws
/// Error(parse), without the file's name, where it is malformed, and with the remedy where it is
/// not a matrix of numbers that an element type holds, or one too large for 64-bit sizes.
NpyHeader parse_npy_header(std::string_view text);

/// The bytes that come before the elements, which lie as in memory (format version 1, a multiple of
/// 64 bytes long).
std::string format_npy_header(const NpyHeader& header);

}  // namespace cuboid::detail
