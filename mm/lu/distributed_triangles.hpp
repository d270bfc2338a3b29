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
  void load(const Matrix<T>& A);
  /// Takes in the lower triangle of a Hermitian matrix, of which one triangle is read. What is
  /// above the diagonal is undefined then.
  void load_hermitian(const Matrix<T>& A, Triangle read);
  /// Gives out the sum of the layers' parts, in any layout. Throws Error(invalid_argument) where
  /// sizes or communicators differ.
  void copy_to(Matrix<T>& A) const;
  /// The same of one triangle with its diagonal; A's other triangle is neither read nor written.
  void copy_to(Matrix<T>& A, Triangle written) const;

  /// ‖A‖₁ of what was brought, of a Hermitian matrix all; infinity where it has an element that is
  /// not finite.
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
  /// The share that a matrix comes in by: of one layer its part itself.
  Matrix<T> empty_share();
  void spread(const Matrix<T>& share);
  /// The sum of the layers' parts.
  Matrix<T> summed_share() const;
  /// The first row of a local column that was brought. Not collective.
  std::int64_t first_row(std::int64_t column) const;
  /// The number in the matrix of a local row or column. Not collective.
  std::int64_t global(std::int64_t local, int processes, int process) const;
  RealOf<T> largest_column_sum() const;
  RealOf<T> largest_hermitian_sum() const;
  bool on_all_ranks(bool holds) const;
  /// Calls `use(element)` for those of the diagonal that this rank keeps. Not collective.
  template <class Use>
  void for_own_diagonal(const Use& use) const;

  Communicator communicator_;
  FactorisePlan plan_;
  LuGrid grid_;
  LuSchedule schedule_;
  mutable IdleRanks idle_ranks_;
  bool lower_only_ = false;  ///< what was brought
  AlignedArray<T> memory_;
  LocalView<T> parts_;
};

}  // namespace cuboid::detail
