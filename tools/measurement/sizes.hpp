#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The powers of two from one message size to another, in bytes.
struct SizeRange {
  std::size_t first = 8;
  std::size_t last = 4 << 20;
  bool empty_too = false;  ///< an empty message can be measured
};

/// The sizes that --size gives, ascending: "8:64K" is 8, 16, …, 64 KiB, "0:4" is 0, 1, 2, 4, "16M"
/// is one size. A missing end is taken from `defaults`. Throws Error(invalid_argument), which names
/// --size.
std::vector<std::size_t> parse_sizes(const std::string& text, const SizeRange& defaults = {});

/// The sizes that --message-size gives, in the syntax of OSU's -m: [MIN:]MAX. So a single number is
/// the largest size. Throws Error(invalid_argument), which names --message-size.
std::vector<std::size_t> parse_message_size(const std::string& text, const SizeRange& defaults);

}  // namespace cuboid::detail::tools
