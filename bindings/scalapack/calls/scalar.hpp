#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>

#include <complex>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace cuboid::detail::scalapack {

/// What Fortran passes as the length of an argument of one letter.
constexpr std::size_t one_letter = 1;

/// ScaLAPACK's letter of an element type.
template <class T>
constexpr char letter() {
  if constexpr (std::is_same_v<T, float>) {
    return 's';
  } else if constexpr (std::is_same_v<T, double>) {
    return 'd';
  } else {
    return std::is_same_v<T, std::complex<float>> ? 'c' : 'z';
  }
}

/// The op that TRANS names by N, T or C, in upper or lower case; nullopt for any other letter.
inline std::optional<Op> op_of(char trans) {
  switch (trans) {
    case 'N':
    case 'n': return Op::none;
    case 'T':
    case 't': return Op::transpose;
    case 'C':
    case 'c': return Op::conjugate_transpose;
    default: return std::nullopt;
  }
}

/// The values that UPLO, SIDE and DIAG name in upper or lower case; nullopt for any other letter.
inline std::optional<Triangle> triangle_of(char uplo) {
  if (uplo == 'L' || uplo == 'l') return Triangle::lower;
  if (uplo == 'U' || uplo == 'u') return Triangle::upper;
  return std::nullopt;
}
inline std::optional<MatrixSide> side_of(char side) {
  if (side == 'L' || side == 'l') return MatrixSide::left;
  if (side == 'R' || side == 'r') return MatrixSide::right;
  return std::nullopt;
}
inline std::optional<Diagonal> diagonal_of(char diag) {
  if (diag == 'N' || diag == 'n') return Diagonal::stored;
  if (diag == 'U' || diag == 'u') return Diagonal::unit;
  return std::nullopt;
}

}  // namespace cuboid::detail::scalapack
