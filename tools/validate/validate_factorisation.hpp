#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_lapack.hpp>

#include "mm/lu/factorise_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// What was measured of a factorisation.
struct FactorisationRuns {
  std::vector<double> seconds;  ///< of each run, on the slowest rank
  double words = 0;             ///< that a rank of the grid sent in one run, the mean
};

/// A factorisation on one plan: its prediction, and how it is measured.
struct FactorisationTrial {
  std::string operation;  ///< "lu", "lu-unpivoted", "cholesky", "qr", "qr-tall"
  std::string algorithm;  ///< "tournament on 4x4x2, blocks of 64"
  std::size_t bytes = 0;  ///< of the matrix
  double predicted_seconds = 0;
  double predicted_words = 0;  ///< that a rank of the grid sends, the mean
  bool chosen = false;         ///< the plan that Cuboid would choose

  /// Factorises a random matrix so many times, after a warm-up (see warm_up()). Collective.
  std::function<FactorisationRuns(int times)> run;
};

/// Trials of a kind for matrices of doubles with n² elements: LU with a tournament and without
/// pivoting, Cholesky, or QR of a square matrix and of a matrix with 64 columns. The plans of each
/// are the soonest by prediction for each number of layers (QR: of the grids that are taller than
/// wide, square, or wider), and those with half and with twice its block. `communicator` must
/// outlive the trials.
std::vector<FactorisationTrial> factorisations_to_try(const Communicator& communicator,
                                                      FactorisationKind kind, std::int64_t n,
                                                      const LocalKernels& kernels);

}  // namespace cuboid::detail::tools
