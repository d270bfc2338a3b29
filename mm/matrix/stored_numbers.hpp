#pragma once

#include <cuboid/element.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace cuboid::detail {

/// The form in which numbers are stored in a file.
struct StoredNumbers {
  enum class Kind { boolean, signed_integer, unsigned_integer, floating, complex };

  Kind kind = Kind::floating;
  std::size_t bytes = 8;  ///< bytes of a number, with both parts of a complex number
  bool swapped = false;   ///< true if the byte order is not this machine's

  bool operator==(const StoredNumbers&) const = default;
};

/// The form in which elements of a type are stored in this machine's memory.
StoredNumbers stored_as(ElementType type);

/// The smallest element type that can hold every such number; nullopt if there is none. For 64-bit
/// integers it is float64, and each number is checked when it is converted.
std::optional<ElementType> element_type_for(const StoredNumbers& stored);

/// Converts numbers from a file into elements of element_type_for(stored), in place.
/// @param elements  room for the elements. Its last bytes contain as many numbers.
/// Throws Error(parse), without the file's name, for an integer that float64 cannot hold exactly.
void convert_in_place(const StoredNumbers& stored, std::span<std::byte> elements);

/// The floating-point number that is equal to an integer; nullopt if there is none.
template <class Real, class Integer>
std::optional<Real> exactly(Integer value) {
  auto magnitude = static_cast<std::uint64_t>(value);
  if constexpr (std::is_signed_v<Integer>) {
    if (value < 0) magnitude = 0 - magnitude;
  }
  const int significant =
      magnitude == 0 ? 0 : 64 - std::countl_zero(magnitude) - std::countr_zero(magnitude);
  if (significant > std::numeric_limits<Real>::digits) return std::nullopt;
  return static_cast<Real>(value);
}

}  // namespace cuboid::detail
