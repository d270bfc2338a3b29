#pragma once

#include <cstdint>
#include <string_view>

namespace cuboid::detail {

/// The FNV-1a hash of a text (Fowler, Noll and Vo). It is the same on every machine and in every
/// build, so it may name files.
constexpr std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t value = 14695981039346656037u;
  for (const char letter : text)
    value = (value ^ static_cast<unsigned char>(letter)) * 1099511628211u;
  return value;
}

}  // namespace cuboid::detail
