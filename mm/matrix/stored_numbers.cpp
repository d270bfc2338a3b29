#include "mm/matrix/stored_numbers.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

using NumberKind = StoredNumbers::Kind;

/// The bits of a floating-point number of 16 bits in IEEE 754's format.
struct Half {
  std::uint16_t bits;
};

float value_of(Half half) {
  constexpr int mantissa_bits = 10, exponent_bias = 15, largest_exponent = 31;
  const int exponent = (half.bits >> mantissa_bits) & largest_exponent;
  const int mantissa = half.bits & ((1 << mantissa_bits) - 1);
  float value = 0;
  if (exponent == largest_exponent) {
    value = mantissa == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  } else {
    const int implied = exponent == 0 ? 0 : 1 << mantissa_bits;
    value = std::ldexp(static_cast<float>(mantissa + implied),
                       std::max(exponent, 1) - exponent_bias - mantissa_bits);
  }
  return (half.bits >> 15) != 0 ? -value : value;
}

template <class To, class From>
To converted_number(From value) {
  if constexpr (std::is_same_v<From, Half>) {
    return value_of(value);
  } else if constexpr (std::is_same_v<From, bool>) {
    return value ? 1 : 0;
  } else if constexpr (std::is_integral_v<From>) {
    const auto exact = exactly<To>(value);
    if (!exact) {
      throw Error(ErrorCode::parse,
                  fmt::format("integer {} has no exact value in the element type: store it as "
                              "float64, if near values will do",
                              value));
    }
    return *exact;
  } else {
    return value;
  }
}

/// Converts number by number from the front. No number is overwritten before it is read, because
/// numbers not yet read lie at the back and take no more room than the elements that they become.
template <class To, class From>
void convert(std::span<std::byte> elements, bool swapped) {
  static_assert(sizeof(From) <= sizeof(To));
  const std::size_t count = elements.size() / sizeof(To);
  const std::byte* from = elements.data() + elements.size() - count * sizeof(From);
  std::byte* to = elements.data();
  for (std::size_t k = 0; k < count; ++k, from += sizeof(From), to += sizeof(To)) {
    std::array<std::byte, sizeof(From)> bytes;
    std::memcpy(bytes.data(), from, sizeof(From));
    if (swapped) std::ranges::reverse(bytes);
    // Any byte but 0 is true. A bool may only have the values 0 and 1.
    if constexpr (std::is_same_v<From, bool>) bytes[0] = std::byte(bytes[0] != std::byte(0));
    const To value = converted_number<To>(std::bit_cast<From>(bytes));
    std::memcpy(to, &value, sizeof(To));
  }
}

using Converter = void (*)(std::span<std::byte>, bool);

/// A kind of number, the element type that can hold it, and the conversion.
struct Conversion {
  NumberKind kind;
  std::size_t bytes;
  ElementType type;
  Converter convert;
};

constexpr std::array conversions = {
    Conversion{NumberKind::boolean, 1, ElementType::float32, convert<float, bool>},
    Conversion{NumberKind::signed_integer, 1, ElementType::float32, convert<float, std::int8_t>},
    Conversion{NumberKind::signed_integer, 2, ElementType::float32, convert<float, std::int16_t>},
    Conversion{NumberKind::signed_integer, 4, ElementType::float64, convert<double, std::int32_t>},
    Conversion{NumberKind::signed_integer, 8, ElementType::float64, convert<double, std::int64_t>},
    Conversion{NumberKind::unsigned_integer, 1, ElementType::float32, convert<float, std::uint8_t>},
    Conversion{NumberKind::unsigned_integer, 2, ElementType::float32,
               convert<float, std::uint16_t>},
    Conversion{NumberKind::unsigned_integer, 4, ElementType::float64,
               convert<double, std::uint32_t>},
    Conversion{NumberKind::unsigned_integer, 8, ElementType::float64,
               convert<double, std::uint64_t>},
    Conversion{NumberKind::floating, 2, ElementType::float32, convert<float, Half>},
    Conversion{NumberKind::floating, 4, ElementType::float32, convert<float, float>},
    Conversion{NumberKind::floating, 8, ElementType::float64, convert<double, double>},
    // The two parts of a complex number are adjacent in memory.
    Conversion{NumberKind::complex, 4, ElementType::complex64, convert<float, Half>},
    Conversion{NumberKind::complex, 8, ElementType::complex64, convert<float, float>},
    Conversion{NumberKind::complex, 16, ElementType::complex128, convert<double, double>},
};

const Conversion* conversion_of(const StoredNumbers& stored) {
  const auto* const found = std::ranges::find_if(conversions, [&](const Conversion& row) {
    return row.kind == stored.kind && row.bytes == stored.bytes;
  });
  return found == conversions.end() ? nullptr : found;
}

}  // namespace

StoredNumbers stored_as(ElementType type) {
  return {holds_complex(type) ? NumberKind::complex : NumberKind::floating, bytes_of(type), false};
}

std::optional<ElementType> element_type_for(const StoredNumbers& stored) {
  const Conversion* const row = conversion_of(stored);
  if (row == nullptr) return std::nullopt;
  return row->type;
}

void convert_in_place(const StoredNumbers& stored, std::span<std::byte> elements) {
  const Conversion* const row = conversion_of(stored);
  if (row == nullptr || stored == stored_as(row->type)) return;
  row->convert(elements, stored.swapped);
}

}  // namespace cuboid::detail
