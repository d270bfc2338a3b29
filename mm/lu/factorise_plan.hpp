#pragma once

#include <cuboid/factorise.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/matrix.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "models/factorisation/lu_seconds.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail {

enum class FactorisationKind {
  lu,
  cholesky,  ///< A = L·Lᴴ, of one triangle; FactoriseOptions::pivoting is left aside
  qr,        ///< planned by plan_qr()
};

/// How a matrix is factorised: the grid and the block, and what that takes.
struct FactorisePlan {
  LayeredGrid grid{1, 1, 1};
  std::int64_t block = 1;
  std::int64_t memory_bytes = 0;  ///< of the busiest rank: its part of each copy, and panels
  LuSecondsEstimate seconds = {};
  LuCommunication communication = {};  ///< words and messages per rank
  bool fits = true;                    ///< the memory limit

  LuSchedule schedule(std::int64_t m, std::int64_t n) const {
    return {m, n, block, grid.rows(), grid.columns(), grid.layers()};
  }
};

/// What is to be planned, for whom.
struct FactoriseRequest {
  FactorisationKind kind = FactorisationKind::lu;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::size_t element_bytes = sizeof(double);
  int ranks = 1;
  LuRates rates = {};
  /// Where the ranks are on a torus or mesh: grids are laid on it so that their lines are its own.
  std::optional<Placement> placement = std::nullopt;
};

/// The request of the ranks of a communicator. It depends on the network, and on nothing that is
/// measured meanwhile: the same every run, as plans and so bits must be. Not collective; the same
/// on every rank.
template <MatrixElement T>
FactoriseRequest factorise_request(const Communicator& communicator, FactorisationKind kind,
                                   std::int64_t m, std::int64_t n);

/// Every grid, number of layers and block that the options allow, with the cost by lu_seconds() or
/// cholesky_seconds(), soonest done first; those that do not fit the memory limit last. Pure.
/// Throws Error(invalid_argument) for options that make no sense for so many ranks.
std::vector<FactorisePlan> factorise_candidates(const FactoriseRequest& request,
                                                const FactoriseOptions& options);

/// The first of them. Throws as that does, and Error(out_of_memory) where nothing fits the limit,
/// saying what would.
FactorisePlan plan_factorisation(const FactoriseRequest& request, const FactoriseOptions& options);

/// The same for a matrix, on the ranks of its communicator.
template <MatrixElement T>
FactorisePlan plan_factorisation(FactorisationKind kind, const Matrix<T>& A,
                                 const FactoriseOptions& options) {
  return plan_factorisation(factorise_request<T>(A.communicator(), kind, A.m(), A.n()), options);
}

/// A table of candidates to read.
std::string explain(const std::vector<FactorisePlan>& candidates);

/// How a factorisation on that plan wants its matrix to lie: then nothing is moved beforehand.
Layout factorisation_layout(std::int64_t m, std::int64_t n, const FactorisePlan& plan);

/// As cuboid::factorise(), on a plan whose grid and block are taken as they are. Collective. Throws
/// Error(invalid_argument) where its grid has more ranks than there are.
template <MatrixElement T>
LuFactorisation<T> factorise_on_plan(const Matrix<T>& A, const LocalKernels& kernels,
                                     const FactorisePlan& plan, Pivoting pivoting);
/// Likewise, as cuboid::cholesky().
template <MatrixElement T>
LuFactorisation<T> cholesky_on_plan(const Matrix<T>& A, const LocalKernels& kernels,
                                    const FactorisePlan& plan, Triangle read);

/// The same factors in double precision, for solves without single precision's rounding.
/// Collective. Throws Error(out_of_memory) on every rank when one has no room.
LuFactorisation<double> in_double_precision(const LuFactorisation<float>& factors);
LuFactorisation<std::complex<double>> in_double_precision(
    const LuFactorisation<std::complex<float>>& factors);

}  // namespace cuboid::detail
