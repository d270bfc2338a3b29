#pragma once

#include <cuboid/matrix.hpp>

#include "mm/lu/lu_context.hpp"

#include <vector>

namespace cuboid::detail {

/// Step C of a Cholesky factorisation: the block row is Lᴴ, of which the ranks of a grid column
/// have the columns already, once the panel has come along the grid's rows. They exchange them, so
/// nothing is summed or solved for, and nothing above the diagonal is ever updated.
template <MatrixElement T>
class TransposedRows {
 public:
  explicit TransposedRows(LuContext<T>& lu) : lu_(lu) {}

  /// This layer's slice of the block row, from what the panel has below the diagonal block. The
  /// block row's ranks keep it in their part of the matrix.
  LocalView<T> gather(const LuStep& step, const std::vector<T>& below);

 private:
  LuContext<T>& lu_;
  std::vector<T> mine_, came_, upper_;
};

}  // namespace cuboid::detail
