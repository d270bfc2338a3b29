#pragma once

#include <cuboid/element.hpp>

#include "models/factorisation/factorisation_costs.hpp"

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

/// The results of a factorisation besides the factors; the same on every rank of the grid, except
/// for seconds and traffic.
template <MatrixElement T>
struct QrOutcome {
  std::vector<T> taus;  ///< LAPACK's TAU
  QrSeconds seconds;
  QrCommunication traffic;  ///< the words and messages that this rank sent
};

}  // namespace cuboid::detail
