#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cuboid::detail {

/// Reads a number of bytes as people write it: 0, 4096, 64K, 1.5G; K, M, G and T are powers of
/// 1024, and a fraction needs one of them. Nothing if it is no such text, or more than 64 bits
/// hold.
std::optional<std::int64_t> parse_byte_count(std::string_view text);

}  // namespace cuboid::detail
