#pragma once

#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>

#include <complex>
#include <cstdint>
#include <limits>

namespace cuboid::detail {

/// Scatters the bits of a counter: the output function of SplitMix64 (Steele, Lea, Flood: "Fast
/// splittable pseudorandom number generators", OOPSLA 2014). A bijection; consecutive counters give
/// independent-looking numbers.
constexpr std::uint64_t scatter_bits(std::uint64_t counter) {
  counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9u;
  counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebu;
  return counter ^ (counter >> 31);
}

/// A number that is uniform in [-1, 1), made of the upper bits, on a grid that R represents
/// exactly.
template <class R>
constexpr R to_unit_interval(std::uint64_t bits) {
  constexpr int digits = std::numeric_limits<R>::digits;
  constexpr R step = R(1) / R(std::uint64_t{1} << (digits - 1));
  return static_cast<R>(bits >> (64 - digits)) * step - R(1);
}

/// One column of a pseudo-random matrix. Element (i, j) depends only on (seed, i, j), so the matrix
/// has the same values in every layout. The elements are SplitMix64's sequence: each column has a
/// starting point, and element i is i steps from it.
class RandomColumn {
 public:
  RandomColumn(std::uint64_t seed, Global<Column> j)
      : start_(scatter_bits(scatter_bits(seed + step) ^
                            (static_cast<std::uint64_t>(j.value) * step))) {}

  /// Element i. Its real and imaginary parts are uniform in [-1, 1).
  template <MatrixElement T>
  T at(Global<Row> i) const {
    const auto counter = static_cast<std::uint64_t>(i.value);
    if constexpr (is_complex<T>) {
      return {draw<RealOf<T>>(2 * counter), draw<RealOf<T>>(2 * counter + 1)};
    } else {
      return draw<T>(counter);
    }
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio, odd

  template <class R>
  R draw(std::uint64_t counter) const {
    return to_unit_interval<R>(scatter_bits(start_ + counter * step));
  }

  std::uint64_t start_;
};

}  // namespace cuboid::detail
