#pragma once

#include <complex>
#include <concepts>
#include <string_view>

namespace cuboid {

/// The element types of matrices, those of BLAS: s, d, c, z.
template <class T>
concept MatrixElement = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

namespace detail {
template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
}  // namespace detail

/// float for float and std::complex<float>, double for the other two.
template <MatrixElement T>
using RealOf = typename detail::RealOf<T>::type;

template <class T>
inline constexpr bool is_complex = !std::floating_point<T>;

/// The complex conjugate; a real number itself.
template <MatrixElement T>
constexpr T conjugate(T value) {
  if constexpr (is_complex<T>) {
    return {value.real(), -value.imag()};
  } else {
    return value;
  }
}

/// "float", "double", "complex<float>" or "complex<double>".
template <MatrixElement T>
constexpr std::string_view element_name() {
  if constexpr (std::same_as<T, float>) return "float";
  if constexpr (std::same_as<T, double>) return "double";
  if constexpr (std::same_as<T, std::complex<float>>) return "complex<float>";
  if constexpr (std::same_as<T, std::complex<double>>) return "complex<double>";
}

}  // namespace cuboid
