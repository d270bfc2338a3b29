#pragma once

#include <cuboid/matrix.hpp>

#include "collectives/communicator/collective_try.hpp"

namespace cuboid::detail {

/// An uninitialised matrix. Collective: if a rank lacks memory, every rank throws
/// Error(out_of_memory).
template <MatrixElement T>
Matrix<T> new_matrix(const Communicator& communicator, const Layout& layout) {
  return collective_try(communicator, [&] { return Matrix<T>(communicator, layout); });
}

/// An uninitialised matrix in the layout of another.
template <MatrixElement T>
Matrix<T> new_matrix_like(const Matrix<T>& other) {
  return new_matrix<T>(other.communicator(), other.layout());
}

}  // namespace cuboid::detail
