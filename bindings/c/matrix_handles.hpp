#pragma once

#include <cuboid/irregular_layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "bindings/c/handles.hpp"

#include <array>
#include <complex>
#include <cstring>
#include <string>
#include <type_traits>
#include <variant>

// Matrices of any of the four element types, and the plans and factorisations that are made of
// them.

namespace cuboid::detail::c {

template <template <class> class Of>
using OfAnyType =
    std::variant<Of<float>, Of<double>, Of<std::complex<float>>, Of<std::complex<double>>>;

/// The datatype of a variant's value.
template <class... Types>
cuboid_datatype type_in(const std::variant<Types...>& any) {
  static constexpr std::array types = {CUBOID_FLOAT32, CUBOID_FLOAT64, CUBOID_COMPLEX64,
                                       CUBOID_COMPLEX128};
  return types[any.index()];
}

}  // namespace cuboid::detail::c

struct cuboid_matrix_s {
  std::variant<cuboid::detail::c::OfAnyType<cuboid::Matrix>,
               cuboid::detail::c::OfAnyType<cuboid::IrregularMatrix>>
      matrix;
};

namespace cuboid::detail::c {

/// Stores the matrix that `make` returns.
template <class Make>
void give(cuboid_matrix* to, const Make& make) {
  give(to, "the pointer to a matrix", make);
}

inline LocalGemm gemm_of(const Communicator& communicator) {
  return LocalGemm::open(communicator, 1);
}

/// Calls `use` with a value of the C++ type of a datatype.
template <class Use>
auto with_type(cuboid_datatype type, const Use& use) {
  switch (type) {
    case CUBOID_FLOAT32: return use(float());
    case CUBOID_FLOAT64: return use(double());
    case CUBOID_COMPLEX64: return use(std::complex<float>());
    case CUBOID_COMPLEX128: return use(std::complex<double>());
    default:
      refuse("a matrix of datatype " + std::to_string(type) +
             ": give FLOAT32, FLOAT64, COMPLEX64 or COMPLEX128");
  }
}

/// The matrix, which must have a regular layout.
inline auto& matrix_of(cuboid_matrix matrix) {
  auto* const regular = std::get_if<OfAnyType<Matrix>>(&required(matrix, "the matrix").matrix);
  if (regular == nullptr) refuse("a matrix in irregular blocks: only redistribution accepts it");
  return *regular;
}

/// The matrix, which must have the element type T.
template <class T>
Matrix<T>& of_type(cuboid_matrix matrix) {
  auto* const typed = std::get_if<Matrix<T>>(&matrix_of(matrix));
  if (typed == nullptr) refuse("matrices of different types; give all the same");
  return *typed;
}

/// The number that a caller gave for an enumerator. C allows numbers outside the enumeration, and
/// C++ must not read these as an enumeration.
template <class Enumeration>
int number_of(const Enumeration& given) {
  int number = 0;
  static_assert(sizeof number == sizeof given);
  std::memcpy(&number, &given, sizeof number);
  return number;
}

inline Op op_of(const cuboid_op& op) {
  switch (number_of(op)) {
    case CUBOID_NONE: return Op::none;
    case CUBOID_TRANSPOSE: return Op::transpose;
    case CUBOID_CONJUGATE_TRANSPOSE: return Op::conjugate_transpose;
  }
  refuse("op: give CUBOID_NONE, CUBOID_TRANSPOSE or CUBOID_CONJUGATE_TRANSPOSE");
}

/// Converts one of the two values of an enumeration.
template <class Given, class Enumeration>
Enumeration one_of(const Given& given, Enumeration zero, Enumeration one, const char* name) {
  const int value = number_of(given);
  if (value != 0 && value != 1) refuse(std::string(name) + ": give one of the two named values");
  return value == 0 ? zero : one;
}

inline LocalKernels kernels_of(const Communicator& communicator) {
  return LocalKernels::open(communicator, 1);
}

template <class T>
const T& scalar(const void* address) {
  return *static_cast<const T*>(&required(static_cast<const T*>(address), "alpha or beta"));
}

/// The element type of a matrix, plan or factorisation in a variant.
template <class Typed>
struct ElementOf;
template <template <class> class Of, class T>
struct ElementOf<Of<T>> {
  using type = T;
};
template <class Typed>
using matrix_element_of = typename ElementOf<std::remove_cvref_t<Typed>>::type;

}  // namespace cuboid::detail::c
