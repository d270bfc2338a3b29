#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/qr.hpp>

#include "mm/lu/factorise_plan.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The plan of a factorisation: the grid and the block, and its cost.
struct QrPlan {
  GridShape grid;
  std::int64_t block = 1;
  std::int64_t memory_bytes = 0;  ///< memory of the busiest rank: its part of the matrix, and
                                  ///< panels
  FactorisationSeconds seconds = {};
  QrCommunication communication = {};  ///< words and messages per rank
  bool fits = true;                    ///< true if it fits the memory limit

  PanelSchedule schedule(std::int64_t m, std::int64_t n) const {
    return {m, n, block, grid.rows(), grid.columns()};
  }
  /// The layout of the matrix.
  Layout layout(std::int64_t m, std::int64_t n) const {
    return Layout::block_cyclic(m, n, block, block, grid);
  }
};

/// Every grid and block that the options allow, with the cost of qr_cost(), the fastest first;
/// plans that do not fit the memory limit come last. Pure. Throws Error(invalid_argument) for
/// options that make no sense for the number of ranks.
std::vector<QrPlan> qr_candidates(const FactoriseRequest& request, const QrOptions& options);

/// The first of qr_candidates(). Throws as that does; if no plan fits the limit, throws
/// Error(out_of_memory) with the memory that would suffice.
QrPlan plan_qr(const FactoriseRequest& request, const QrOptions& options);

/// The same for a matrix, on the ranks of its communicator.
template <MatrixElement T>
QrPlan plan_qr(const Matrix<T>& A, const QrOptions& options) {
  return plan_qr(factorise_request<T>(A.communicator(), FactorisationKind::qr, A.m(), A.n()),
                 options);
}

/// cuboid::qr() on a given plan. Collective. Throws Error(invalid_argument) if its grid has more
/// ranks than there are.
template <MatrixElement T>
QrFactorisation<T> qr_on_plan(const Matrix<T>& A, const LocalKernels& kernels, const QrPlan& plan);

}  // namespace cuboid::detail
