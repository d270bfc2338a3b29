#pragma once

#include <cuboid/factorise.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/matrix.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "models/factorisation/factorisation_costs.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

enum class FactorisationKind {
  lu,
  cholesky,  ///< A = L·Lᴴ from one triangle; ignores FactoriseOptions::pivoting
  qr,        ///< planned by plan_qr()
};

/// The plan of a factorisation: the grid and the block, and its cost.
struct FactorisePlan {
  LayeredGrid grid{1, 1, 1};
  std::int64_t block = 1;
  std::int64_t memory_bytes = 0;  ///< memory of the busiest rank: its part of each copy, and panels
  FactorisationSeconds seconds = {};
  LuCommunication communication = {};  ///< words and messages per rank
  bool fits = true;                    ///< true if it fits the memory limit

  PanelSchedule schedule(std::int64_t m, std::int64_t n) const {
    return {m, n, block, grid.rows(), grid.columns(), grid.layers()};
  }
};

/// The planner's input for a factorisation.
struct FactoriseRequest {
  FactorisationKind kind = FactorisationKind::lu;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::size_t element_bytes = sizeof(double);
  int ranks = 1;
  LuRates rates = {};
  /// The placement of the ranks on a torus or mesh. Grids are mapped onto it so that their lines
  /// are lines of the network.
  std::optional<Placement> placement = std::nullopt;
};

/// The request for the ranks of a communicator. It depends on the network, and on no measurement,
/// so that plans and therefore bits are the same in every run. Not collective; the same on every
/// rank.
template <MatrixElement T>
FactoriseRequest factorise_request(const Communicator& communicator, FactorisationKind kind,
                                   std::int64_t m, std::int64_t n);

/// Every grid, number of layers and block that the options allow, with the cost of lu_cost() or
/// cholesky_cost(), the fastest first; plans that do not fit the memory limit come last. Pure.
/// Throws Error(invalid_argument) for options that make no sense for the number of ranks.
std::vector<FactorisePlan> factorise_candidates(const FactoriseRequest& request,
                                                const FactoriseOptions& options);

/// Some of factorise_candidates(), in their order, and the number of all.
struct SoonestPlans {
  std::vector<FactorisePlan> plans;
  std::size_t candidates = 0;
};

/// The first `most` of factorise_candidates(), and the first of each further number of layers.
/// Plans that a lower bound of their seconds rules out are not priced. Throws as
/// factorise_candidates().
SoonestPlans soonest_plans(const FactoriseRequest& request, const FactoriseOptions& options,
                           std::size_t most);

/// The first of factorise_candidates(). Throws as that does; if no plan fits the limit, throws
/// Error(out_of_memory) with the memory that would suffice.
FactorisePlan plan_factorisation(const FactoriseRequest& request, const FactoriseOptions& options);

/// The same for a matrix, on the ranks of its communicator.
template <MatrixElement T>
FactorisePlan plan_factorisation(FactorisationKind kind, const Matrix<T>& A,
                                 const FactoriseOptions& options) {
  return plan_factorisation(factorise_request<T>(A.communicator(), kind, A.m(), A.n()), options);
}

/// The layout of a matrix that a factorisation on the plan uses without moving it.
Layout factorisation_layout(std::int64_t m, std::int64_t n, const FactorisePlan& plan);

/// cuboid::factorise() on a given plan. Collective. Throws Error(invalid_argument) if its grid has
/// more ranks than there are.
template <MatrixElement T>
LuFactorisation<T> factorise_on_plan(const Matrix<T>& A, const LocalKernels& kernels,
                                     const FactorisePlan& plan, Pivoting pivoting);
/// cuboid::cholesky() on a given plan, likewise.
template <MatrixElement T>
LuFactorisation<T> cholesky_on_plan(const Matrix<T>& A, const LocalKernels& kernels,
                                    const FactorisePlan& plan, Triangle read);

/// The same factors in double precision, for solves without the rounding of single precision.
/// Collective. Throws Error(out_of_memory) on every rank if a rank lacks memory.
LuFactorisation<double> in_double_precision(const LuFactorisation<float>& factors);
LuFactorisation<std::complex<double>> in_double_precision(
    const LuFactorisation<std::complex<float>>& factors);

}  // namespace cuboid::detail
