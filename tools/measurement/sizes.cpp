#include "tools/measurement/sizes.hpp"

#include "base/byte_count.hpp"
#include "tools/output/flag_values.hpp"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// A flag and its complete value, for messages.
struct Flag {
  const char* name;
  const std::string& value;
  bool empty_too;
};

std::size_t parse_size(const Flag& flag, std::string_view text) {
  const auto bytes = parse_byte_count(text);
  if (!bytes) {
    refuse(
        fmt::format("{} {}: give bytes as in 16M, or a range as in 8:64K (K, M, G: 1024, 1024^2, "
                    "1024^3)",
                    flag.name, flag.value));
  }
  // A message must be much smaller than a machine's memory, and sums of several sizes must not
  // overflow.
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if ((*bytes == 0 && !flag.empty_too) || *bytes > most) {
    refuse(fmt::format("{} {}: give {} to {} GiB", flag.name, flag.value,
                       flag.empty_too ? "0" : "1 byte", most >> 30));
  }
  return static_cast<std::size_t>(*bytes);
}

std::vector<std::size_t> doublings(const Flag& flag, std::string_view first, std::string_view last,
                                   const SizeRange& defaults) {
  const auto end_or = [&](std::string_view part, std::size_t otherwise) {
    return part.empty() ? otherwise : parse_size(flag, part);
  };
  const SizeRange range{end_or(first, defaults.first), end_or(last, defaults.last)};
  if (range.first > range.last) {
    refuse(fmt::format("{} {}: {} is greater than {}: give the smaller size first", flag.name,
                       flag.value, range.first, range.last));
  }
  std::vector<std::size_t> sizes;
  for (std::size_t size = range.first; size <= range.last; size = size == 0 ? 1 : 2 * size)
    sizes.push_back(size);
  return sizes;
}

}  // namespace

std::vector<std::size_t> parse_sizes(const std::string& text, const SizeRange& defaults) {
  const Flag flag{"--size", text, defaults.empty_too};
  const std::string_view all = text;
  const auto colon = all.find(':');
  if (colon == std::string_view::npos) return {parse_size(flag, all)};
  return doublings(flag, all.substr(0, colon), all.substr(colon + 1), defaults);
}

std::vector<std::size_t> parse_message_size(const std::string& text, const SizeRange& defaults) {
  const Flag flag{"--message-size", text, defaults.empty_too};
  const std::string_view all = text;
  const auto colon = all.find(':');
  if (colon != std::string_view::npos)
    return doublings(flag, all.substr(0, colon), all.substr(colon + 1), defaults);
  parse_size(flag, all);
  return doublings(flag, {}, all, defaults);
}

}  // namespace cuboid::detail::tools
