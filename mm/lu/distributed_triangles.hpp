#pragma once

#include <cuboid/factorise.hpp>
#include <cuboid/matrix.hpp>

#include "collectives/communicator/idle_ranks.hpp"
#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/lu_grid.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "models/factorisation/panel_schedule.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace cuboid::detail {

/// A matrix distributed over the layers of a grid, as the sum of the layers' parts. It is
/// factorised in place and used for solves. Functions are collective over the communicator unless
/// they say otherwise.
template <MatrixElement T>
class DistributedTriangles {
 public:
  /// Throws Error(out_of_memory) on every rank if a rank lacks memory.
  DistributedTriangles(const Communicator& communicator, std::int64_t m, std::int64_t n,
                       const FactorisePlan& plan);

  /// Reads a matrix in any layout. Each layer has a share of it, and zeros elsewhere.
  void load(const Matrix<T>& A);
  /// Reads the lower triangle of a Hermitian matrix from one of its triangles. Elements above the
  /// diagonal are undefined then.
  void load_hermitian(const Matrix<T>& A, Triangle read);
  /// Writes the sum of the layers' parts to a matrix in any layout. Throws Error(invalid_argument)
  /// if sizes or communicators differ.
  void copy_to(Matrix<T>& A) const;
  /// Writes one triangle with its diagonal; A's other triangle is neither read nor written.
  void copy_to(Matrix<T>& A, Triangle written) const;

  /// ‖A‖₁ of the matrix that was read; of a Hermitian matrix, of both triangles. Infinity if an
  /// element is not finite.
  RealOf<T> one_norm() const;
  /// True if all elements are finite.
  bool is_finite() const;
  /// True if all elements of the diagonal are finite.
  bool has_finite_diagonal() const;
  /// The determinant of a triangle with this diagonal, to a power, after swaps of its rows.
  Determinant<T> diagonal_product(std::span<const std::int64_t> swaps, int power) const;

  /// Throws Error(invalid_argument), which names what is `wanted`, unless `fits` is true and the
  /// other matrix is on the same communicator. Not collective.
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
  /// The layout of the layers' shares together.
  Layout layout() const { return factorisation_layout(schedule_.m(), schedule_.n(), plan_); }
  const LuGrid& grid() const { return grid_; }
  const PanelSchedule& schedule() const { return schedule_; }
  /// This rank's part. Not collective.
  LocalView<T> parts() const { return parts_; }

 private:
  /// An empty share for reading a matrix. With one layer it is the rank's part itself.
  Matrix<T> empty_share();
  void spread(const Matrix<T>& share);
  /// The sum of the layers' parts.
  Matrix<T> summed_share() const;
  /// The first row of a local column that was read. Not collective.
  std::int64_t first_row(std::int64_t column) const;
  /// The number in the matrix of a local row or column. Not collective.
  std::int64_t global(std::int64_t local, int processes, int process) const;
  RealOf<T> largest_column_sum() const;
  RealOf<T> largest_hermitian_sum() const;
  bool on_all_ranks(bool holds) const;
  /// Calls `use(element)` for this rank's elements of the diagonal. Not collective.
  template <class Use>
  void for_own_diagonal(const Use& use) const;

  Communicator communicator_;
  FactorisePlan plan_;
  LuGrid grid_;
  PanelSchedule schedule_;
  mutable IdleRanks idle_ranks_;
  bool lower_only_ = false;  ///< true if only the lower triangle was read
  AlignedArray<T> memory_;
  LocalView<T> parts_;
};

}  // namespace cuboid::detail
