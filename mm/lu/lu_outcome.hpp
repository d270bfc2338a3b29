#pragma once

#include <cuboid/factorise.hpp>

#include "models/factorisation/factorisation_costs.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The seconds of a factorisation on this rank, by the steps of Solomonik, Bhatele and Demmel 2012,
/// figure 3. They do not overlap: a message that travels during a gemm counts as gemm; only the
/// remaining wait counts as its step.
struct LuSeconds {
  double panel = 0;        ///< A: panels summed over the layers and factorised
  double rows = 0;         ///< C: rows summed, exchanged, solved for
  double multicast = 0;    ///< B: starting and waiting for what travels along rows and columns
  double update = 0;       ///< the gemms
  double interchange = 0;  ///< L's rows brought in order at the end
};

/// The results of a factorisation besides the factors; the same on every rank of the grid, except
/// for seconds and traffic.
struct LuOutcome {
  /// Row k was swapped with row swaps[k], in turn: LAPACK's IPIV, from 0.
  std::vector<std::int64_t> swaps;
  /// The first pivot that is exactly 0 (Hermitian: the first minor that is not positive definite),
  /// counted from 1, LAPACK's info; 0 if there is none.
  std::int64_t zero_pivot = 0;
  LuSeconds seconds;
  LuCommunication traffic;  ///< the words and messages that this rank sent
};

/// The method of a factorisation.
struct LuMethod {
  Pivoting pivoting = Pivoting::tournament;
  bool hermitian = false;  ///< A = L·Lᴴ; without pivoting
};

}  // namespace cuboid::detail
