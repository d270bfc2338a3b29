#pragma once

#include <cuboid/element.hpp>

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// Where the time of a QR factorisation went on this rank, in seconds. They do not overlap: what
/// travels under a gemm shows as gemm.
struct QrSeconds {
  double panel = 0;      ///< panels factorised
  double multicast = 0;  ///< starting and waiting for V and T along process rows
  double sums = 0;       ///< VᴴA summed over process columns
  double update = 0;     ///< the gemms
};

/// In words of the matrix's type.
struct QrSent {
  double words = 0;
  std::uint64_t messages = 0;
};

/// What this rank sent in each step.
struct QrTraffic {
  QrSent panel, multicast, sums;
};

/// What a factorisation leaves besides the factors; the same on every rank of the grid, but for
/// seconds and traffic.
template <MatrixElement T>
struct QrOutcome {
  std::vector<T> taus;  ///< LAPACK's TAU
  QrSeconds seconds;
  QrTraffic traffic;
};

}  // namespace cuboid::detail
