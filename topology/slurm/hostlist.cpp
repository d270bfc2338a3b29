#include "topology/slurm/hostlist.hpp"

#include <cuboid/error.hpp>

#include "base/text_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The whole numbers from first to last, written with at least `width` digits. Also stands for the
/// part of a name without brackets, which is text alone.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  int width = 1;
};

[[noreturn]] void fail(std::string_view where, std::string_view reason) {
  throw Error(ErrorCode::parse, fmt::format("host list {}: {}", in_quotes(where), reason));
}

std::uint64_t parse_digits(std::string_view digits, std::string_view where) {
  // 18 digits cannot overflow, not even when the size of a range is computed.
  constexpr std::size_t most_digits = 18;
  if (digits.size() > most_digits) fail(where, "the number is too large");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size())
    fail(where, "expected numbers, e.g. [0-3,12]");
  return value;
}

Range parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : text.substr(dash + 1);
  const Range range{parse_digits(first, text), parse_digits(last, text),
                    static_cast<int>(first.size())};
  if (range.last < range.first) fail(text, "the range ends before it begins");
  return range;
}

std::vector<Range> parse_ranges(std::string_view text) {
  std::vector<Range> ranges;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    ranges.push_back(parse_range(text.substr(start, end - start)));
    start = end + 1;
  }
  return ranges;
}

/// Appends every number of every range to every name, name by name.
std::vector<std::string> append_ranges(const std::vector<std::string>& names,
                                       const std::vector<Range>& ranges, std::size_t most,
                                       std::string_view where) {
  std::size_t numbers = 0;
  for (const Range& range : ranges) {
    const std::uint64_t size = range.last - range.first + 1;
    if (size > most || numbers + size > most) fail(where, fmt::format("more than {} names", most));
    numbers += size;
  }
  if (numbers > most / names.size()) fail(where, fmt::format("more than {} names", most));
  std::vector<std::string> longer;
  longer.reserve(names.size() * numbers);
  for (const std::string& name : names) {
    for (const Range& range : ranges) {
      for (std::uint64_t number = range.first; number <= range.last; ++number) {
        longer.push_back(fmt::format("{}{:0{}}", name, number, range.width));
      }
    }
  }
  return longer;
}

/// Expands one item of the list, "r[0-1]c[08-10]".
std::vector<std::string> expand_item(std::string_view item, std::size_t most) {
  std::vector<std::string> names = {""};
  for (std::string_view rest = item; !rest.empty();) {
    const std::size_t open = std::min(rest.find('['), rest.size());
    const std::string_view literal = rest.substr(0, open);
    if (literal.find(']') != std::string_view::npos) fail(item, "] without [");
    for (std::string& name : names) name += literal;
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) fail(item, "[ without ]");
    names = append_ranges(names, parse_ranges(rest.substr(1, close - 1)), most, item);
    rest.remove_prefix(close + 1);
  }
  return names;
}

/// The length of the first item of a list: the item ends at the first comma outside brackets.
std::size_t item_length(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] == ',' && !inside) return i;
  }
  return text.size();
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text, std::size_t most) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t length = item_length(text);
    if (length == 0) fail(text, "an empty name");
    for (std::string& name : expand_item(text.substr(0, length), most))
      names.push_back(std::move(name));
    if (names.size() > most) fail(text, fmt::format("more than {} names", most));
    if (length == text.size()) return names;
    text.remove_prefix(length + 1);
  }
}

}  // namespace cuboid::detail
