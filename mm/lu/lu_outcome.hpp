#pragma once

#include <cuboid/pivoting.hpp>

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// Where the time of a factorisation went on this rank, by the steps of Solomonik, Bhatele and
/// Demmel 2012, figure 3, in seconds. They do not overlap: what travels under a gemm shows as
/// gemm, only the waiting that is left shows as its step.
struct LuSeconds {
  double panel = 0;        ///< A: panels summed over the layers and factorised
  double rows = 0;         ///< C: rows summed, exchanged, solved for
  double multicast = 0;    ///< B: starting and waiting for what travels along rows and columns
  double update = 0;       ///< the gemms
  double interchange = 0;  ///< L's rows brought in order at the end
};

/// What this rank sent in each step, in words of the matrix's type and in messages.
struct LuTraffic {
  struct Count {
    double words = 0;
    std::uint64_t messages = 0;
  };
  Count panel, rows, multicast, interchange;
};

/// What a factorisation leaves besides the factors; the same on every rank of the grid.
struct LuOutcome {
  /// Row k was swapped with row swaps[k], in turn: LAPACK's IPIV, from 0.
  std::vector<std::int64_t> swaps;
  /// The first pivot that is exactly 0 (Hermitian: the first minor that is not positive definite),
  /// counted from 1, LAPACK's info; 0: none is.
  std::int64_t zero_pivot = 0;
  LuSeconds seconds;
  LuTraffic traffic;
};

/// How a factorisation goes.
struct LuMethod {
  Pivoting pivoting = Pivoting::tournament;
  bool hermitian = false;  ///< A = L·Lᴴ; without pivoting
};

}  // namespace cuboid::detail
