#include "mm/cannon/cannon.hpp"

#include <cuboid/error.hpp>

#include <complex>

#include <fmt/format.h>

namespace cuboid::detail {

Rotation rotation_for_cannon(const GridShape& grid) {
  return Rotation({{grid.rows(), grid.columns()}}, 0, +1);
}

GridShape skewed_for_cannon(const GridShape& grid, Side side) {
  if (grid.rows() != grid.columns()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("Cannon: a layout skewed on a {} grid: give a square one, or let the "
                            "multiplication stagger",
                            to_string(grid)));
  }
  return skewed(grid, rotation_for_cannon(grid), side);
}

template <MatrixElement T>
CannonMultiplication<T>::CannonMultiplication(const Communicator& communicator,
                                              const GridShape& grid, const ProductLayouts& product)
    : RotatingMultiplication<T>(communicator, grid, {rotation_for_cannon(grid)}, product,
                                Sidedness::two_sided) {}

template <MatrixElement T>
PhaseSeconds cannon(T alpha, Op op_a, const Matrix<T>& A, Op op_b, const Matrix<T>& B, T beta,
                    Matrix<T>& C, const ProcessGrid& grid, const LocalGemm& gemm) {
  return CannonMultiplication<T>(grid.communicator(), grid.shape(),
                                 {A.layout(), op_a, B.layout(), op_b, C.layout()})
      .run(alpha, A, B, beta, C, gemm);
}

#define CUBOID_INSTANTIATE(T)                                                                \
  template class CannonMultiplication<T>;                                                    \
  template PhaseSeconds cannon(T, Op, const Matrix<T>&, Op, const Matrix<T>&, T, Matrix<T>&, \
                               const ProcessGrid&, const LocalGemm&)
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
