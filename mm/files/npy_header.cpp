#include "mm/files/npy_header.hpp"

#include <cuboid/error.hpp>

#include "base/text_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_text = 1 << 20;

[[noreturn]] void malformed_header(const std::string& reason) {
  throw Error(ErrorCode::parse, "malformed .npy header: " + reason);
}

/// Reads, one after the other, the few Python literals that occur in headers.
class LiteralScanner {
 public:
  explicit LiteralScanner(std::string_view text) : rest_(text) {}

  /// Skips white space. If `c` comes next, skips it and returns true.
  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) malformed_header(fmt::format("'{}' expected before {}", c, in_quotes(rest_)));
  }
  bool at_end() {
    skip_space();
    return rest_.empty();
  }

  /// Reads 'text' or "text"; nullopt if something else comes next.
  std::optional<std::string_view> text() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos)
      malformed_header("a quotation mark is not closed: " + in_quotes(rest_));
    const std::string_view result = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return result;
  }

  bool boolean() {
    if (take_word("True")) return true;
    if (take_word("False")) return false;
    malformed_header("'fortran_order' must be True or False, not " + in_quotes(rest_));
  }

  /// Reads a tuple: (3, 4) or (3,) or ().
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!take(')')) {
      values.push_back(integer());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

 private:
  void skip_space() {
    const std::size_t count = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(count, rest_.size()));
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::int64_t integer() {
    skip_space();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::result_out_of_range) {
      malformed_header("a size of more than 63 bits in 'shape': " + in_quotes(rest_));
    }
    if (error != std::errc{} || value < 0) {
      malformed_header("'shape' must hold sizes, not " + in_quotes(rest_));
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // a long integer of Python 2
    return value;
  }

  std::string_view rest_;
};

/// NumPy's letter for each kind of number.
struct KindLetter {
  char letter;
  StoredNumbers::Kind kind;
};
constexpr std::array<KindLetter, 5> kind_letters = {{{'b', StoredNumbers::Kind::boolean},
                                                     {'i', StoredNumbers::Kind::signed_integer},
                                                     {'u', StoredNumbers::Kind::unsigned_integer},
                                                     {'f', StoredNumbers::Kind::floating},
                                                     {'c', StoredNumbers::Kind::complex}}};

[[noreturn]] void refuse_elements(std::string_view descr) {
  const bool complex = descr.find('c') != std::string_view::npos;
  throw Error(ErrorCode::parse,
              fmt::format("elements {}, not one of b1, i1 to i8, u1 to u8, f2, f4, f8, c8, c16: "
                          "convert them in NumPy with numpy.save(file, array.astype('{}'))",
                          descr.ends_with('O') ? "are Python objects"
                                               : fmt::format("of type {}", in_quotes(descr)),
                          complex ? "<c16" : "<f8"));
}

/// Reads a description such as "<f8": byte order, kind, bytes.
StoredNumbers parse_descr(std::string_view descr) {
  std::string_view rest = descr;
  constexpr std::string_view orders = "<>|=";
  const char order =
      !rest.empty() && orders.find(rest.front()) != std::string_view::npos ? rest.front() : '=';
  if (rest.starts_with(order)) rest.remove_prefix(1);
  if (rest == "?") rest = "b1";
  StoredNumbers stored;
  if (rest.empty()) refuse_elements(descr);
  const auto* const kind = std::ranges::find(kind_letters, rest.front(), &KindLetter::letter);
  if (kind == kind_letters.end()) refuse_elements(descr);
  stored.kind = kind->kind;
  const auto [end, error] =
      std::from_chars(rest.data() + 1, rest.data() + rest.size(), stored.bytes);
  if (error != std::errc{} || end != rest.data() + rest.size() || !element_type_for(stored))
    refuse_elements(descr);
  constexpr char other = std::endian::native == std::endian::little ? '>' : '<';
  stored.swapped = order == other && stored.bytes > 1;
  return stored;
}

std::string_view to_descr(ElementType type) {
  switch (type) {
    case ElementType::float32: return "<f4";
    case ElementType::float64: return "<f8";
    case ElementType::complex64: return "<c8";
    case ElementType::complex128: return "<c16";
  }
  return "";
}

void check_sizes(const NpyHeader& header) {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(header.rows, header.columns, &elements) ||
      __builtin_mul_overflow(elements, static_cast<std::int64_t>(bytes_of(header.type())),
                             &bytes)) {
    malformed_header(fmt::format("a matrix of {} x {} elements does not fit any memory",
                                 header.rows, header.columns));
  }
}

}  // namespace

bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

NpyTextRange npy_text_range(std::span<const std::byte> preamble) {
  if (preamble.size() < npy_preamble_bytes) malformed_header("the file is cut off within it");
  if (!is_npy(preamble)) malformed_header("it does not begin with \\x93NUMPY");
  const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(preamble[at]); };
  const std::size_t version = byte(6);
  NpyTextRange range;
  if (version == 1) {
    range.begin = 10;
    range.end = range.begin + byte(8) + (byte(9) << 8);
  } else if (version == 2 || version == 3) {
    range.begin = 12;
    range.end = range.begin + byte(8) + (byte(9) << 8) + (byte(10) << 16) + (byte(11) << 24);
  } else {
    malformed_header(fmt::format("format version {}, supported are 1, 2 and 3", version));
  }
  if (range.end - range.begin > longest_text) {
    malformed_header(fmt::format("it says it is {} bytes long", range.end - range.begin));
  }
  return range;
}

NpyHeader parse_npy_header(std::string_view text) {
  std::optional<StoredNumbers> stored;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;

  LiteralScanner scanner(text);
  scanner.expect('{');
  while (!scanner.take('}')) {
    const auto key = scanner.text();
    if (!key) malformed_header("a quoted key expected");
    scanner.expect(':');
    if (*key == "descr" && !stored) {
      const auto descr = scanner.text();
      if (!descr) {
        throw Error(ErrorCode::parse,
                    "elements are records, not numbers: save one field of them in NumPy with "
                    "numpy.save(file, array['field'])");
      }
      stored = parse_descr(*descr);
    } else if (*key == "fortran_order" && !fortran_order) {
      fortran_order = scanner.boolean();
    } else if (*key == "shape" && !shape) {
      shape = scanner.tuple();
    } else {
      malformed_header(fmt::format("key {} is unknown or occurs twice", in_quotes(*key)));
    }
    if (!scanner.take(',')) {
      scanner.expect('}');
      break;
    }
  }
  if (!scanner.at_end()) malformed_header("something follows the closing brace");
  if (!stored || !fortran_order || !shape) {
    malformed_header("it lacks one of 'descr', 'fortran_order', 'shape'");
  }
  if (shape->size() != 2) {
    throw Error(ErrorCode::parse,
                fmt::format("an array of {} dimensions, not a matrix: give it two in NumPy with "
                            "array.reshape(rows, columns)",
                            shape->size()));
  }
  const NpyHeader header{*stored,
                         *fortran_order ? ElementOrder::column_major : ElementOrder::row_major,
                         shape->front(), shape->back()};
  check_sizes(header);
  return header;
}

std::string format_npy_header(const NpyHeader& header) {
  constexpr std::size_t alignment = 64;
  constexpr std::size_t before_text = 10;
  std::string text = fmt::format(
      "{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}", to_descr(header.type()),
      header.order == ElementOrder::column_major ? "True" : "False", header.rows, header.columns);
  const std::size_t unpadded = before_text + text.size() + 1;
  text.append((alignment - unpadded % alignment) % alignment, ' ');
  text += '\n';

  std::string result(magic);
  result += '\x01';
  result += '\x00';
  result += static_cast<char>(text.size() & 0xff);
  result += static_cast<char>(text.size() >> 8);
  return result + text;
}

}  // namespace cuboid::detail
