#include <cuboid/mm/agreed.hpp>
#include <cuboid/mm/redistribute.hpp>
#include <cuboid/mm/stopwatch.hpp>
#include <cuboid/mm/summa_multiplication.hpp>

#include <complex>

namespace cuboid {

template <MatrixElement T>
SummaMultiplication<T>::SummaMultiplication(const Communicator& communicator, const GridShape& grid,
                                            const StoredProduct& product, std::int64_t panel_width)
    : grid_(communicator, grid), product_(product), panel_width_(panel_width) {
  if (product.C.grid() == grid) return;
  on_grid_ = agreed(communicator, [&] {
    return Matrix<T>(communicator, Layout::block(product.C.m(), product.C.n(), grid));
  });
}

template <MatrixElement T>
PhaseSeconds SummaMultiplication<T>::run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta,
                                         Matrix<T>& C, const LocalGemm& gemm) {
  double distribute = 0;
  if (on_grid_ && beta != T(0)) {
    const Stopwatch watch(distribute);
    redistribute(Op::none, C, *on_grid_);
  }
  PhaseSeconds seconds = summa(alpha, product_.op_a, A, product_.op_b, B, beta,
                               on_grid_ ? *on_grid_ : C, grid_, gemm, panel_width_);
  if (on_grid_) {
    const Stopwatch watch(distribute);
    redistribute(Op::none, *on_grid_, C);
  }
  seconds.distribute += distribute;
  return seconds;
}

template class SummaMultiplication<float>;
template class SummaMultiplication<double>;
template class SummaMultiplication<std::complex<float>>;
template class SummaMultiplication<std::complex<double>>;

}  // namespace cuboid
