#pragma once

#include <cuboid/factorise.hpp>
#include <cuboid/matrix.hpp>

#include "collectives/communicator/idle_ranks.hpp"
#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/lu_grid.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "models/factorisation/lu_schedule.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace cuboid::detail {

/// A matrix spread over the layers of a grid, to be factorised and solved with in place: the sum of
/// the layers' parts. Functions are collective over the communicator, unless they say otherwise.
template <MatrixElement T>
class DistributedTriangles {
 public:
  /// Throws Error(out_of_memory) on every rank when one has no room.
  DistributedTriangles(const Communicator& communicator, std::int64_t m, std::int64_t n,
                       const FactorisePlan& plan);

  /// Takes a matrix in, wherever it lies: each layer takes a share, and has zeros elsewhere.
  /// @param hermitian  only its lower triangle is read.
  void bring(const Matrix<T>& A, bool hermitian);
  /// Gives out the sum of the layers' parts, in any layout. Throws Error(invalid_argument) where
  /// sizes or communicators differ.
  void copy_to(Matrix<T>& A) const;

  /// ‖A‖₁ of what was brought; infinity where it has an element that is not finite.
  RealOf<T> one_norm() const;
  /// Whether no element is NaN or infinite.
  bool is_finite() const;
  /// Whether no element of the diagonal is NaN or infinite.
  bool has_finite_diagonal() const;
  /// The determinant of a triangle with this diagonal, to a power, after swaps of its rows.
  Determinant<T> diagonal_product(std::span<const std::int64_t> swaps, int power) const;

  /// Throws Error(invalid_argument), which says that `wanted` is, unless `fits` and the other
  /// matrix is on the same communicator. Not collective.
  void require_fitting(const char* what, const Matrix<T>& other, bool fits,
                       const std::string& wanted) const;

  /// Runs `work` on the grid's ranks, while the others wait.
  template <class Work>
  void work(Work&& work) const {
    idle_ranks_.run([&] {
      if (grid_.here) std::forward<Work>(work)();
    });
  }

  const Communicator& communicator() const { return communicator_; }
  const FactorisePlan& plan() const { return plan_; }
  /// How the layers' shares together lie.
  Layout layout() const { return factorisation_layout(schedule_.m(), schedule_.n(), plan_); }
  const LuGrid& grid() const { return grid_; }
  const LuSchedule& schedule() const { return schedule_; }
  /// This rank's part. Not collective.
  LocalView<T> parts() const { return parts_; }

 private:
  /// Gives `share` the upper triangle that A's lower triangle implies.
  void mirror(const Matrix<T>& A, Matrix<T>& share) const;
  void spread(const Matrix<T>& share);
  bool on_all_ranks(bool holds) const;
  /// Calls `use(element)` for those of the diagonal that this rank keeps. Not collective.
  template <class Use>
  void for_own_diagonal(const Use& use) const;

  Communicator communicator_;
  FactorisePlan plan_;
  LuGrid grid_;
  LuSchedule schedule_;
  mutable IdleRanks idle_ranks_;
  AlignedArray<T> memory_;
  LocalView<T> parts_;
};

}  // namespace cuboid::detail
