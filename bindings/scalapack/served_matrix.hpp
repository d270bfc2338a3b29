#pragma once

#include <cuboid/matrix.hpp>
#include <cuboid/redistribute.hpp>

#include "bindings/scalapack/context.hpp"
#include "bindings/scalapack/descriptor.hpp"
#include "collectives/communicator/collective_try.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace cuboid::detail::scalapack {

/// The whole of a distributed matrix, in the program's memory.
template <MatrixElement T>
Matrix<T> whole_matrix(const Context& context, const Descriptor& descriptor, const T* data) {
  const Layout layout = layout_of_all(descriptor, context.ranks);
  const std::int64_t rows = layout.local_rows(context.ours().rank());
  // Shorter than its columns it may be where there are none.
  const std::int64_t leading = std::max<std::int64_t>(descriptor.leading_dimension, rows);
  return Matrix<T>::wrap(context.ours(), layout, const_cast<T*>(data), leading);
}

/// A submatrix of the program's as a matrix of Cuboid's: in place where it lies in blocks, else as
/// a copy.
template <MatrixElement T>
class ServedMatrix {
 public:
  /// Collective; throws on all ranks.
  ServedMatrix(const Context& context, const Submatrix& part, const T* data)
      : part_(part), whole_(whole_matrix(context, part.descriptor, data)) {
    const Layout layout = layout_of(part, context.ranks);
    if (lies_in_blocks(part, context.grid)) {
      const LocalOrigin origin = origin_of(part, context.grid);
      T* const first = whole_.data() + origin.row + origin.column * whole_.leading_dimension();
      matrix_ = Matrix<T>::wrap(context.ours(), layout, first, whole_.leading_dimension());
    } else {
      matrix_ = collective_try(context.ours(), [&] { return Matrix<T>(context.ours(), layout); });
      is_copy_ = true;
    }
  }

  Matrix<T>& operator*() { return *matrix_; }

  /// Fills the copy, if it is one. Collective.
  void bring() {
    if (is_copy_)
      redistribute(Op::none, whole_, range_of(part_), *matrix_, Global<Row>(0), Global<Column>(0));
  }
  /// Writes the copy back, if it is one. Collective.
  void give_back() {
    if (!is_copy_) return;
    const BlockRange there = range_of(part_);
    const BlockRange all = {matrix_->layout().rows().all(), matrix_->layout().columns().all()};
    redistribute(Op::none, *matrix_, all, whole_, there.rows.begin, there.columns.begin);
  }

 private:
  Submatrix part_;
  Matrix<T> whole_;
  std::optional<Matrix<T>> matrix_;
  bool is_copy_ = false;
};

}  // namespace cuboid::detail::scalapack
