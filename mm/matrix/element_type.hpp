#pragma once

#include <cuboid/matrix.hpp>

#include <complex>
#include <cstddef>
#include <string_view>
#include <utility>

namespace cuboid::detail {

/// The element type of a matrix as a run-time value, e.g. of a file.
enum class ElementType { float32, float64, complex64, complex128 };

template <MatrixElement T>
constexpr ElementType element_type_of() {
  if constexpr (std::same_as<T, float>) return ElementType::float32;
  if constexpr (std::same_as<T, double>) return ElementType::float64;
  if constexpr (std::same_as<T, std::complex<float>>) return ElementType::complex64;
  if constexpr (std::same_as<T, std::complex<double>>) return ElementType::complex128;
}

/// Size of one element in bytes.
std::size_t bytes_of(ElementType type);

/// The BLAS letter: 's', 'd', 'c' or 'z'.
char letter(ElementType type);

/// Reads a BLAS letter. Throws Error(parse) that lists the four letters for anything else.
ElementType parse_element_type(std::string_view text);

constexpr bool holds_complex(ElementType type) {
  return type == ElementType::complex64 || type == ElementType::complex128;
}

/// "float32", "float64", "complex64" or "complex128".
std::string_view to_string(ElementType type);

/// Whether type `into` can hold every value of type `from`.
constexpr bool fits(ElementType from, ElementType into) {
  const auto twice = [](ElementType type) {
    return type == ElementType::float64 || type == ElementType::complex128;
  };
  return (!holds_complex(from) || holds_complex(into)) && (!twice(from) || twice(into));
}

/// The smallest type that both fit into.
ElementType common_type(ElementType left, ElementType right);

/// Calls `function.operator()<T>()` with the C++ type T of `type` and returns its result. It turns
/// a type known at run time into a template argument.
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

}  // namespace cuboid::detail
