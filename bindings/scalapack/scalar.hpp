#pragma once

#include <cuboid/op.hpp>

#include <complex>
#include <optional>
#include <type_traits>

namespace cuboid::detail::scalapack {

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

/// What TRANS says: N, T or C in either case; nullopt for anything else.
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

}  // namespace cuboid::detail::scalapack
