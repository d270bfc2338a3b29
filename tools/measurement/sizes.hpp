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

/// The sizes of --size, ascending: "8:64K" is 8, 16, …, 64 KiB, "0:4" is 0, 1, 2, 4; "16M" is one
/// size; a missing end is that of `defaults`. Throws Error(invalid_argument) naming --size.
std::vector<std::size_t> parse_sizes(const std::string& text, const SizeRange& defaults = {});

/// The sizes of --message-size, in the syntax of OSU's -m: [MIN:]MAX, so that a single size is the
/// greatest. Throws Error(invalid_argument) naming --message-size.
std::vector<std::size_t> parse_message_size(const std::string& text, const SizeRange& defaults);

}  // namespace cuboid::detail::tools
