#pragma once

#include <bit>
#include <cstdint>

namespace cuboid {

/// A number of 16 bits in IEEE 754's format binary16: 11 significant bits, up to 65504. It only
/// stores numbers. Arithmetic converts to float and rounds back to nearest, ties to even.
class Float16 {
 public:
  /// Zero.
  constexpr Float16() = default;
  /// The Float16 that is nearest to `value`; of two equally near numbers, the one whose last bit is
  /// even.
  explicit constexpr Float16(float value) : bits_(rounded(value)) {}
  /// The number with these bits.
  static constexpr Float16 from_bits(std::uint16_t bits) {
    Float16 number;
    number.bits_ = bits;
    return number;
  }
  /// The 16 bits of the number.
  constexpr std::uint16_t bits() const { return bits_; }

  /// The same number as a float, exactly.
  explicit constexpr operator float() const {
    const std::uint32_t sign = std::uint32_t{bits_ & 0x8000u} << 16;
    const std::uint32_t magnitude = bits_ & 0x7fffu;
    // Read as a float, the exponent is 112 too low. The product corrects it, for subnormals, too.
    constexpr float scale = std::bit_cast<float>(std::uint32_t{(254 - 15) << 23});
    std::uint32_t word =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * scale);
    if (magnitude >= 0x7c00u) word |= 0x7f800000u;  // infinities and NaN
    return std::bit_cast<float>(word | sign);
  }
  /// Compares as floats do: zeros of both signs are equal, and NaN is equal to nothing.
  constexpr bool operator==(const Float16& other) const { return float(*this) == float(other); }
  constexpr bool operator<(const Float16& other) const { return float(*this) < float(other); }

 private:
  static constexpr std::uint16_t rounded(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = word >> 16 & 0x8000u;
    const std::uint32_t magnitude = word & 0x7fffffffu;
    std::uint32_t half = 0;
    if (magnitude > 0x7f800000u) {
      half = 0x7e00u;  // NaN
    } else if (magnitude >= 0x477ff000u) {
      half = 0x7c00u;  // 65520 and more round to infinity
    } else if (magnitude < 0x38800000u) {
      // A subnormal result: the sum with 1/2 keeps as many bits as a subnormal has, rounded.
      half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    } else {
      const std::uint32_t odd = magnitude >> 13 & 1u;
      half = (magnitude - (112u << 23) + 0xfffu + odd) >> 13;
    }
    return static_cast<std::uint16_t>(sign | half);
  }

  std::uint16_t bits_ = 0;
};

/// A number of 16 bits with float's exponent and 8 significant bits (bfloat16). It only stores
/// numbers, as Float16 does.
class BFloat16 {
 public:
  /// Zero.
  constexpr BFloat16() = default;
  /// The BFloat16 that is nearest to `value`; of two equally near numbers, the one whose last bit
  /// is even.
  explicit constexpr BFloat16(float value) : bits_(rounded(value)) {}
  /// The number with these bits.
  static constexpr BFloat16 from_bits(std::uint16_t bits) {
    BFloat16 number;
    number.bits_ = bits;
    return number;
  }
  /// The 16 bits of the number.
  constexpr std::uint16_t bits() const { return bits_; }

  /// The same number as a float, exactly.
  explicit constexpr operator float() const {
    return std::bit_cast<float>(std::uint32_t{bits_} << 16);
  }
  /// Compares as floats do: zeros of both signs are equal, and NaN is equal to nothing.
  constexpr bool operator==(const BFloat16& other) const { return float(*this) == float(other); }
  constexpr bool operator<(const BFloat16& other) const { return float(*this) < float(other); }

 private:
  static constexpr std::uint16_t rounded(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(word >> 16 | 0x40u);
    return static_cast<std::uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
  }

  std::uint16_t bits_ = 0;
};

}  // namespace cuboid
