#pragma once

#include <cuboid/element.hpp>

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The seconds of a QR factorisation on this rank. They do not overlap: a message that travels
/// during a gemm counts as gemm.
struct QrSeconds {
  double panel = 0;      ///< panels factorised
  double multicast = 0;  ///< starting and waiting for V and T along process rows
  double sums = 0;       ///< VᴴA summed over process columns
  double update = 0;     ///< the gemms
};

/// Messages, and words of the matrix's type.
struct QrSent {
  double words = 0;
  std::uint64_t messages = 0;
};

/// What this rank sent in each step.
struct QrTraffic {
  QrSent panel, multicast, sums;
};

/// The results of a factorisation besides the factors; the same on every rank of the grid, except
/// for seconds and traffic.
template <MatrixElement T>
struct QrOutcome {
  std::vector<T> taus;  ///< LAPACK's TAU
  QrSeconds seconds;
  QrTraffic traffic;
};

}  // namespace cuboid::detail
