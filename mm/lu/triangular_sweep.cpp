#include "mm/lu/triangular_sweep.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>
#include <vector>

namespace cuboid::detail {

namespace {

template <MatrixElement T>
class TriangularSweep {
 public:
  TriangularSweep(const LuGrid& grid, const PanelSchedule& schedule, const TriangularSystem& system,
                  LocalView<const T> parts, LocalView<T> sums, const LocalKernels& kernels)
      : grid_(grid),
        schedule_(schedule),
        system_(system),
        here_(*grid.here),
        parts_(parts),
        sums_(sums),
        kernels_(kernels) {}

  void run() {
    const std::int64_t steps = schedule_.steps();
    for (std::int64_t index = 0; index < steps; ++index) {
      const PanelStep step = schedule_.step(system_.forward() ? index : steps - 1 - index);
      block_.resize(static_cast<std::size_t>(step.width() * sums_.columns));
      const LocalView<T> block{block_.data(), step.width(), sums_.columns, step.width()};
      if (has_equations(step)) solve_block(step, block);
      if (has_unknowns(step)) {
        broadcast(down(), block_, owner_down(step));
        subtract(step, block);
      }
    }
  }

 private:
  // True for ranks of the step's grid row, which has its equations; its grid column has its
  // unknowns. With op the reverse.
  bool has_equations(const PanelStep& step) const {
    return system_.by_rows() ? here_.row == step.row : here_.column == step.column;
  }
  bool has_unknowns(const PanelStep& step) const {
    return system_.by_rows() ? here_.column == step.column : here_.row == step.row;
  }
  bool has_diagonal(const PanelStep& step) const {
    return here_.row == step.row && here_.column == step.column && here_.layer == 0;
  }
  const Communicator& across() const {
    return system_.by_rows() ? grid_.row_plane : grid_.column_plane;
  }
  const Communicator& down() const {
    return system_.by_rows() ? grid_.column_plane : grid_.row_plane;
  }
  int owner_across(const PanelStep& step) const {
    return system_.by_rows() ? step.column : step.row;
  }
  int owner_down(const PanelStep& step) const { return system_.by_rows() ? step.row : step.column; }

  /// The number of equations before `index` that this rank has.
  std::int64_t held_before(std::int64_t index) const {
    return system_.by_rows() ? schedule_.rows_before(here_.row, index)
                             : schedule_.columns_before(here_.column, index);
  }

  void solve_block(const PanelStep& step, LocalView<T> block) {
    const LocalView<T> mine = sums_.block(held_before(step.begin), 0, step.width(), sums_.columns);
    copy<T>(mine, block);
    reduce(across(), block_, block_, Reduction::Kind::sum, owner_across(step));
    scale(T(0), mine);
    if (!has_diagonal(step)) return;
    const LocalView<const T> diagonal =
        parts_.block(schedule_.step_rows(step).begin, schedule_.step_columns(step).begin,
                     step.width(), step.width());
    kernels_.lapack.trsm(MatrixSide::left, system_.triangle, system_.op, system_.diagonal, T(1),
                         diagonal, block);
    copy<T>(block, mine);
  }

  /// Subtracts the share of a block of unknowns from this rank's equations that are not solved yet.
  void subtract(const PanelStep& step, LocalView<T> block) {
    const std::int64_t solved = held_before(system_.forward() ? step.end : step.begin);
    const Extent open = system_.forward() ? Extent{solved, sums_.rows} : Extent{0, solved};
    // L has its layer's columns and U its layer's rows only; the others are zeros.
    const bool in_slices = system_.forward();
    const Extent unknowns =
        in_slices ? schedule_.slice(step, here_.layer) : Extent{0, step.width()};
    if (open.length() == 0 || unknowns.length() == 0) return;
    const Extent rows = system_.by_rows() ? open : shifted(unknowns, schedule_.step_rows(step));
    const Extent columns =
        system_.by_rows() ? shifted(unknowns, schedule_.step_columns(step)) : open;
    const T* const coefficients = parts_.column(columns.begin) + rows.begin;
    kernels_.gemm(system_.op, Op::none, open.length(), sums_.columns, unknowns.length(), T(-1),
                  coefficients, parts_.leading_dimension, block.data + unknowns.begin,
                  block.leading_dimension, T(1), sums_.data + open.begin, sums_.leading_dimension);
  }

  static Extent shifted(const Extent& extent, const Extent& by) {
    return {by.begin + extent.begin, by.begin + extent.end};
  }

  const LuGrid& grid_;
  const PanelSchedule& schedule_;
  const TriangularSystem& system_;
  const LayeredPosition here_;
  const LocalView<const T> parts_;
  const LocalView<T> sums_;
  const LocalKernels& kernels_;
  std::vector<T> block_;
};

}  // namespace

template <MatrixElement T>
void solve_triangle(const LuGrid& grid, const PanelSchedule& schedule,
                    const TriangularSystem& system, LocalView<const T> parts, LocalView<T> sums,
                    const LocalKernels& kernels) {
  if (sums.columns == 0) return;
  TriangularSweep<T>(grid, schedule, system, parts, sums, kernels).run();
}

#define CUBOID_FOR(T)                                                                        \
  template void solve_triangle(const LuGrid&, const PanelSchedule&, const TriangularSystem&, \
                               LocalView<const T>, LocalView<T>, const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
