#pragma once

#include <cuboid/export.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>

namespace cuboid {

/// The element types of matrices, which are BLAS's s, d, c and z.
template <class T>
concept MatrixElement = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

namespace detail {
template <class T>
struct RealType {
  using type = T;
};
template <class R>
struct RealType<std::complex<R>> {
  using type = R;
};
}  // namespace detail

/// The type of a real part: float for float and std::complex<float>, double for double and
/// std::complex<double>.
template <MatrixElement T>
using RealOf = typename detail::RealType<T>::type;

/// True if the matrix element type T is complex.
template <class T>
inline constexpr bool is_complex = !std::floating_point<T>;

/// The complex conjugate of a number; of a real number the number itself.
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

/// The element types of matrices as a value, where a file or a person names one.
enum class ElementType { float32, float64, complex64, complex128 };

/// The value that stands for the type T.
template <MatrixElement T>
constexpr ElementType element_type_of() {
  if constexpr (std::same_as<T, float>) return ElementType::float32;
  if constexpr (std::same_as<T, double>) return ElementType::float64;
  if constexpr (std::same_as<T, std::complex<float>>) return ElementType::complex64;
  if constexpr (std::same_as<T, std::complex<double>>) return ElementType::complex128;
}

/// Size of one element in bytes: 4, 8, 8 or 16.
CUBOID_API std::size_t bytes_of(ElementType type);

/// The BLAS letter: 's', 'd', 'c' or 'z'.
CUBOID_API char letter(ElementType type);

/// Reads a BLAS letter. Throws Error(parse) for any other text; its message names the four letters.
CUBOID_API ElementType parse_element_type(std::string_view text);

/// True if the elements are complex.
constexpr bool holds_complex(ElementType type) {
  return type == ElementType::complex64 || type == ElementType::complex128;
}

/// "float32", "float64", "complex64" or "complex128".
CUBOID_API std::string_view to_string(ElementType type);

/// True if type `into` can represent every value of type `from`.
constexpr bool fits(ElementType from, ElementType into) {
  const auto twice = [](ElementType type) {
    return type == ElementType::float64 || type == ElementType::complex128;
  };
  return (!holds_complex(from) || holds_complex(into)) && (!twice(from) || twice(into));
}

/// The smallest type into which both types fit.
CUBOID_API ElementType common_type(ElementType left, ElementType right);

/// Calls `function.operator()<T>()` with the C++ type T of `type` and returns its result. It makes
/// a template argument of a type that is known only at run time.
template <class Function>
auto with_element_type(ElementType type, Function&& function) {
  switch (type) {
    case ElementType::float32: return function.template operator()<float>();
    case ElementType::float64: return function.template operator()<double>();
    case ElementType::complex64: return function.template operator()<std::complex<float>>();
    case ElementType::complex128: break;
  }
  return function.template operator()<std::complex<double>>();
}

/// The order in which a file holds a matrix's elements.
enum class ElementOrder {
  row_major,    ///< C's: element (i, j) next to (i, j+1)
  column_major  ///< Fortran's: element (i, j) next to (i+1, j)
};

}  // namespace cuboid
