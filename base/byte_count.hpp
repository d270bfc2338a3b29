#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cuboid::detail {

/// Reads a number of bytes as people write it: 0, 4096, 64K, 1.5G. K, M, G and T are powers of
/// 1024. A number with a fraction needs one of these letters. nullopt for any other text, and for a
/// number that does not fit into 64 bits.
std::optional<std::int64_t> parse_byte_count(std::string_view text);

}  // namespace cuboid::detail
