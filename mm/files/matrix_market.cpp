#include "mm/files/matrix_market.hpp"

#include <cuboid/error.hpp>

#include "base/text_file.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/stored_numbers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

using Field = MatrixMarketHeader::Field;
using Format = MatrixMarketHeader::Format;
using Symmetry = MatrixMarketHeader::Symmetry;

[[noreturn]] void malformed(const std::string& reason) {
  throw Error(ErrorCode::parse, reason);
}

constexpr std::string_view spaces = " \t\r\f\v";

/// Removes the next word from the front of a line and returns it; returns an empty text at the end
/// of the line.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(spaces), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(spaces));
  line.remove_prefix(word.size());
  return word;
}

void expect_end(std::string_view line) {
  const std::string_view word = take_word(line);
  if (!word.empty()) malformed(fmt::format("unexpected word {}", in_quotes(word)));
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The value of a word of the banner. The names are given as pairs {text, value}.
template <class Value, std::size_t N>
Value named(const char* what, std::string_view word,
            const std::array<std::pair<std::string_view, Value>, N>& names) {
  const std::string lower = lower_case(word);
  std::string known;
  for (const auto& [name, value] : names) {
    if (name == lower) return value;
    known += known.empty() ? "" : ", ";
    known += name;
  }
  malformed(
      fmt::format("unknown {} {} in the banner, known are: {}", what, in_quotes(word), known));
}

/// A number without its plus sign, which from_chars() does not know. "+-1" has two signs and is
/// left as it is.
std::string_view without_plus(std::string_view word) {
  return word.starts_with('+') && !word.starts_with("+-") ? word.substr(1) : word;
}

template <class Integer = std::int64_t>
Integer parse_integer(std::string_view word, const char* what) {
  Integer value = 0;
  word = without_plus(word);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty()) malformed(fmt::format("{} is missing", what));
  if (error == std::errc::result_out_of_range) {
    malformed(fmt::format("{} {} has more than {} bits", what, in_quotes(word),
                          std::numeric_limits<Integer>::digits));
  }
  if (error != std::errc{} || end != word.data() + word.size()) {
    malformed(fmt::format("{} {} is not an {}integer", what, in_quotes(word),
                          std::is_signed_v<Integer> ? "" : "unsigned "));
  }
  return value;
}

/// Replaces the D of Fortran's numbers: 1.0D+03 becomes 1.0e+03.
std::string with_letter_of_c(std::string_view digits, std::size_t exponent) {
  std::string result(digits);
  result[exponent] = 'e';
  return result;
}

template <class Real>
Real parse_real(std::string_view word) {
  if (word.empty()) malformed("a value is missing");
  const std::string_view digits = without_plus(word);
  Real value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const auto taken = static_cast<std::size_t>(end - digits.data());
  if (taken > 0 && taken < digits.size() && (digits[taken] == 'D' || digits[taken] == 'd'))
    return parse_real<Real>(with_letter_of_c(digits, taken));
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    malformed(fmt::format("{} is not a number", in_quotes(word)));
  }
  if (error == std::errc::result_out_of_range) {
    // from_chars does not tell if the number is too large or too small. Numbers that are too small
    // are accepted as 0.
    const double rounded = std::strtod(std::string(digits).c_str(), nullptr);
    if (std::abs(rounded) < 1) return static_cast<Real>(rounded);
    malformed(fmt::format("{} is too large for its element type", in_quotes(word)));
  }
  return value;
}

template <class Real, class Integer>
Real parse_exact_integer(std::string_view word) {
  const auto value = parse_integer<Integer>(word, "value");
  const auto exact = exactly<Real>(value);
  if (!exact) malformed(fmt::format("integer {} has no exact value in the element type", value));
  return *exact;
}

/// The number of entries of an array file. If the matrix has a symmetry: n·(n+1)/2 for the lower
/// triangle with the diagonal, n·(n-1)/2 without the diagonal.
std::int64_t array_entries(const MatrixMarketHeader& header) {
  std::int64_t product = 0;
  const bool symmetric = header.symmetry != Symmetry::general;
  const std::int64_t other =
      !symmetric ? header.columns
                 : header.columns + (header.symmetry == Symmetry::skew_symmetric ? -1 : 1);
  if (__builtin_mul_overflow(header.rows, other, &product)) {
    malformed(fmt::format("a matrix of {} x {} elements does not fit any memory", header.rows,
                          header.columns));
  }
  return symmetric ? product / 2 : product;
}

template <class Real>
char* format_padded(Real value, char* begin, std::size_t width) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  const auto length = static_cast<std::size_t>(end - digits.data());
  char* const text = std::fill_n(begin, width - length, ' ');
  return std::copy(digits.data(), end, text);
}

}  // namespace

ElementType MatrixMarketHeader::type() const {
  return field == Field::complex ? ElementType::complex128 : ElementType::float64;
}

bool is_matrix_market(std::string_view text) {
  return text.starts_with("%%MatrixMarket");
}

bool MatrixMarketHeaderParser::take(std::string_view line) {
  if (!banner_taken_) {
    take_banner(line);
    return false;
  }
  if (is_matrix_market_filler(line)) return false;
  take_sizes(line);
  return true;
}

void MatrixMarketHeaderParser::take_banner(std::string_view line) {
  if (take_word(line) != "%%MatrixMarket") {
    malformed("the banner \"%%MatrixMarket matrix ...\" is missing");
  }
  const std::string_view object = take_word(line);
  if (lower_case(object) != "matrix") {
    malformed(fmt::format("the banner announces {}, only matrix is supported", in_quotes(object)));
  }
  header_.format = named<Format, 2>(
      "format", take_word(line), {{{"array", Format::array}, {"coordinate", Format::coordinate}}});
  header_.field = named<Field, 6>("field", take_word(line),
                                  {{{"real", Field::real},
                                    {"double", Field::real},
                                    {"complex", Field::complex},
                                    {"integer", Field::integer},
                                    {"unsigned-integer", Field::unsigned_integer},
                                    {"pattern", Field::pattern}}});
  header_.symmetry = named<Symmetry, 4>("symmetry", take_word(line),
                                        {{{"general", Symmetry::general},
                                          {"symmetric", Symmetry::symmetric},
                                          {"hermitian", Symmetry::hermitian},
                                          {"skew-symmetric", Symmetry::skew_symmetric}}});
  expect_end(line);
  if (header_.symmetry == Symmetry::hermitian && header_.field != Field::complex) {
    malformed("a hermitian matrix must have complex entries");
  }
  if (header_.field == Field::pattern &&
      (header_.format == Format::array || header_.symmetry == Symmetry::skew_symmetric)) {
    malformed("a pattern must be a coordinate matrix, general or symmetric");
  }
  banner_taken_ = true;
}

void MatrixMarketHeaderParser::take_sizes(std::string_view line) {
  header_.rows = parse_integer(take_word(line), "number of rows");
  header_.columns = parse_integer(take_word(line), "number of columns");
  const bool coordinate = header_.format == Format::coordinate;
  if (coordinate) header_.entries = parse_integer(take_word(line), "number of entries");
  expect_end(line);
  if (header_.rows < 0 || header_.columns < 0 || header_.entries < 0) {
    malformed(fmt::format("negative size in {} x {}, {} entries", header_.rows, header_.columns,
                          header_.entries));
  }
  if (header_.symmetry != Symmetry::general && header_.rows != header_.columns) {
    malformed(fmt::format("{} x {} is not square, so it cannot be symmetric", header_.rows,
                          header_.columns));
  }
  // If there are more entries than elements, some are duplicates. They are found when the entries
  // are read.
  const std::int64_t places = array_entries(header_);
  if (!coordinate) header_.entries = places;
}

bool is_matrix_market_filler(std::string_view line) {
  const std::size_t first = line.find_first_not_of(spaces);
  return first == std::string_view::npos || line[first] == '%';
}

MatrixMarketArrayPlaces::MatrixMarketArrayPlaces(const MatrixMarketHeader& header)
    : header_(header) {
  place_.row = first_row();
}

std::int64_t MatrixMarketArrayPlaces::first_row() const {
  switch (header_.symmetry) {
    case Symmetry::general: return 0;
    case Symmetry::skew_symmetric: return place_.column + 1;
    case Symmetry::symmetric:
    case Symmetry::hermitian: break;
  }
  return place_.column;
}

void MatrixMarketArrayPlaces::advance() {
  if (++place_.row < header_.rows) return;
  ++place_.column;
  place_.row = first_row();
}

MatrixMarketPlace take_place(const MatrixMarketHeader& header, std::string_view& line) {
  const std::int64_t row = parse_integer(take_word(line), "row index");
  const std::int64_t column = parse_integer(take_word(line), "column index");
  if (row < 1 || row > header.rows || column < 1 || column > header.columns) {
    malformed(fmt::format("entry ({}, {}) is outside the {} x {} matrix", row, column, header.rows,
                          header.columns));
  }
  if (header.symmetry == Symmetry::skew_symmetric && row == column) {
    malformed(
        fmt::format("entry ({}, {}) on the diagonal of a skew-symmetric matrix", row, column));
  }
  return {row - 1, column - 1};
}

template <MatrixElement T>
T parse_value(const MatrixMarketHeader& header, const MatrixMarketPlace& place,
              std::string_view text) {
  T value{1};
  switch (header.field) {
    case Field::pattern: break;
    case Field::real: value = parse_real<RealOf<T>>(take_word(text)); break;
    case Field::integer:
      value = parse_exact_integer<RealOf<T>, std::int64_t>(take_word(text));
      break;
    case Field::unsigned_integer:
      value = parse_exact_integer<RealOf<T>, std::uint64_t>(take_word(text));
      break;
    case Field::complex:
      if constexpr (is_complex<T>) {
        const auto real = parse_real<RealOf<T>>(take_word(text));
        value = {real, parse_real<RealOf<T>>(take_word(text))};
      }
      break;
  }
  expect_end(text);
  if (header.symmetry == Symmetry::hermitian && place.row == place.column &&
      value != conjugate(value)) {
    malformed("an element on the diagonal of a hermitian matrix is not real");
  }
  return value;
}

template <MatrixElement T>
T mirrored(Symmetry symmetry, T value) {
  switch (symmetry) {
    case Symmetry::hermitian: return conjugate(value);
    case Symmetry::skew_symmetric: return -value;
    case Symmetry::general:
    case Symmetry::symmetric: break;
  }
  return value;
}

std::string format_matrix_market_header(ElementType type, std::int64_t rows, std::int64_t columns) {
  const bool complex = !fits(type, ElementType::float64);
  return fmt::format("%%MatrixMarket matrix array {} general\n{} {}\n",
                     complex ? "complex" : "real", rows, columns);
}

template <MatrixElement T>
void format_matrix_market_value(T value, char* line) {
  constexpr std::size_t length = matrix_market_line_bytes<T>();
  if constexpr (is_complex<T>) {
    constexpr std::size_t width = length / 2 - 1;
    char* const middle = format_padded(value.real(), line, width);
    *middle = ' ';
    format_padded(value.imag(), middle + 1, width);
  } else {
    format_padded(value, line, length - 1);
  }
  line[length - 1] = '\n';
}

#define CUBOID_INSTANTIATE(T) \
  template T parse_value(const MatrixMarketHeader&, const MatrixMarketPlace&, std::string_view)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

#define CUBOID_INSTANTIATE(T) template T mirrored(Symmetry, T)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

#define CUBOID_INSTANTIATE(T) template void format_matrix_market_value(T, char*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
