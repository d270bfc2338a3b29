#pragma once

#include <cuboid/reduction.hpp>

#include <cstddef>
#include <cstdint>

namespace cuboid::detail {

/// Which ranks' contributions (of the first 64) are in an element, and which element it is. Two
/// that do not belong together, or have a rank in common, combine to `broken`.
struct Contributions {
  static constexpr std::uint32_t broken = ~std::uint32_t{0};
  std::uint64_t ranks = 0;
  std::uint32_t element = 0;
  std::uint32_t reserved = 0;

  static Contributions of(int rank, std::size_t element) {
    return {std::uint64_t{1} << rank, static_cast<std::uint32_t>(element), 0};
  }
  static Contributions of_all(int ranks, std::size_t element) {
    return {~std::uint64_t{0} >> (64 - ranks), static_cast<std::uint32_t>(element), 0};
  }
  static Contributions combine(const Contributions& left, const Contributions& right) {
    const bool fit = left.element == right.element && (left.ranks & right.ranks) == 0;
    return {left.ranks | right.ranks, fit ? left.element : broken, 0};
  }
  bool operator==(const Contributions&) const = default;
};

/// The ranks first … last, in this order: an associative operation that does not commute. Two
/// ranges that do not follow on one another combine to a broken one.
struct RankRange {
  static constexpr std::int16_t broken = -1;
  std::int16_t first = 0;
  std::int16_t last = 0;
  std::uint32_t element = 0;

  static RankRange of(int rank, std::size_t element) {
    return {static_cast<std::int16_t>(rank), static_cast<std::int16_t>(rank),
            static_cast<std::uint32_t>(element)};
  }
  static RankRange of_all(int ranks, std::size_t element) {
    return {0, static_cast<std::int16_t>(ranks - 1), static_cast<std::uint32_t>(element)};
  }
  static RankRange combine(const RankRange& left, const RankRange& right) {
    const bool fit = left.element == right.element && left.first != broken &&
                     right.first != broken && left.last + 1 == right.first;
    if (!fit) return {broken, broken, left.element};
    return {left.first, right.last, left.element};
  }
  bool operator==(const RankRange&) const = default;
};

/// T::combine, element by element.
template <class T>
void combine_all(const void* left, const void* right, void* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    static_cast<T*>(result)[i] =
        T::combine(static_cast<const T*>(left)[i], static_cast<const T*>(right)[i]);
  }
}

}  // namespace cuboid::detail
