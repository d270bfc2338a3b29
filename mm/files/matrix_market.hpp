#pragma once

#include <cuboid/element.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// The header of a Matrix Market file.
struct MatrixMarketHeader {
  enum class Format { array, coordinate };
  enum class Field { real, complex, integer, unsigned_integer, pattern };
  enum class Symmetry { general, symmetric, hermitian, skew_symmetric };

  Format format = Format::array;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;  ///< the number of lines that must follow

  bool operator==(const MatrixMarketHeader&) const = default;

  /// The element type of the entries: complex128 for complex entries, float64 for all others.
  ElementType type() const;
};

/// True if a file that begins with `text` declares itself Matrix Market.
bool is_matrix_market(std::string_view text);

/// Reads a header line by line: the banner, comments, the line of sizes.
class MatrixMarketHeaderParser {
 public:
  /// Reads the next line, without its end. Returns true once the header is complete. Throws
  /// Error(parse), without file and line, if it is malformed.
  bool take(std::string_view line);

  /// The header; valid once take() has returned true.
  const MatrixMarketHeader& header() const { return header_; }

 private:
  void take_banner(std::string_view line);
  void take_sizes(std::string_view line);

  MatrixMarketHeader header_;
  bool banner_taken_ = false;
};

/// The row and column of an element, counted from 0.
struct MatrixMarketPlace {
  std::int64_t row = 0;
  std::int64_t column = 0;
  bool operator==(const MatrixMarketPlace&) const = default;
};

/// True if a line has no entry: if it is blank or a comment.
bool is_matrix_market_filler(std::string_view line);

/// Goes through the elements in the order of the lines of an array file: column by column, and only
/// through the lower triangle if the matrix has a symmetry.
class MatrixMarketArrayPlaces {
 public:
  explicit MatrixMarketArrayPlaces(const MatrixMarketHeader& header);

  /// The element of the current line.
  const MatrixMarketPlace& place() const { return place_; }
  /// Proceeds to the element of the next line.
  void advance();

 private:
  std::int64_t first_row() const;

  MatrixMarketHeader header_;
  MatrixMarketPlace place_;
};

/// Removes the two indices from the front of a coordinate file's line and returns them. Throws
/// Error(parse), without file and line, if they are malformed or outside the matrix, or if the
/// symmetry allows no entry there.
MatrixMarketPlace take_place(const MatrixMarketHeader& header, std::string_view& line);

/// Reads the value of the entry at `place` from the rest of its line. Throws Error(parse), without
/// file and line, if the value is malformed, if type T cannot represent it (integers exactly, other
/// numbers approximately), or if it breaks the symmetry. T must be complex if the field is complex.
template <MatrixElement T>
T parse_value(const MatrixMarketHeader& header, const MatrixMarketPlace& place,
              std::string_view text);

/// The value of the element across the diagonal from an element with this value.
template <MatrixElement T>
T mirrored(MatrixMarketHeader::Symmetry symmetry, T value);

/// The lines of a general array file that stand before the entries.
std::string format_matrix_market_header(ElementType type, std::int64_t rows, std::int64_t columns);

/// The length of every line that format_matrix_market_value() writes, including its end.
template <MatrixElement T>
constexpr std::size_t matrix_market_line_bytes() {
  // The longest shortest-round-trip texts are "-1.17549435e-38" and "-2.2250738585072014e-308".
  constexpr std::size_t number = sizeof(RealOf<T>) == sizeof(float) ? 15 : 24;
  return is_complex<T> ? 2 * number + 2 : number + 1;
}

/// Writes one value as a line. All lines have the same length, padded with spaces, so every rank
/// knows where its lines belong. The text reads back as the same value.
/// @param line  matrix_market_line_bytes<T>() characters.
template <MatrixElement T>
void format_matrix_market_value(T value, char* line);

}  // namespace cuboid::detail
