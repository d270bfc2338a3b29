#include "mm/layered/two_and_a_half_d.hpp"

#include <cuboid/error.hpp>
#include <cuboid/reduce_scatter.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/cannon/cannon.hpp"
#include "mm/decompositions/wanted_layouts.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/summa/summa.hpp"

#include <complex>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

void check(const Communicator& communicator, const LayeredGrid& grid) {
  if (grid.size() <= communicator.size()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("2.5D: a {} grid needs {} ranks, there are {}: give a smaller grid or "
                          "more ranks",
                          to_string(grid), grid.size(), communicator.size()));
}

/// A layer's slice of the product on the ranks of the layer.
ProductLayouts slice_of(const ProductLayouts& product, const LayeredGrid& grid, int layer,
                        LayerAlgorithm inside) {
  const auto& [m, n, k] = product.size();
  const LayeredGrid alone(grid.rows(), grid.columns(), 1);
  const std::int64_t width = BlockCyclic<Inner>::even(k, grid.layers()).local_extent(layer);
  const WantedLayouts wanted = wanted_in_layers({m, n, width}, alone, inside);
  return {applied(product.op_a, wanted.A), product.op_a, applied(product.op_b, wanted.B),
          product.op_b, wanted.C};
}

template <MatrixElement T>
std::unique_ptr<Multiplication<T>> inside_layer(const Communicator& layer,
                                                const ProductLayouts& slice,
                                                const LayerOptions& options) {
  if (options.inside == LayerAlgorithm::cannon) {
    return std::make_unique<CannonMultiplication<T>>(layer, slice.C.grid(), slice);
  }
  return std::make_unique<SummaMultiplication<T>>(layer, slice.C.grid(), slice, options.panel_width,
                                                  options.order);
}

/// This rank's part of a slice, where it lies.
template <MatrixElement T>
Matrix<T> as_slice(const Communicator& layer, const Layout& layout, const Matrix<T>& whole) {
  // A multiplication only reads its operands, though a Matrix is of the writable kind.
  return Matrix<T>::wrap(layer, layout, const_cast<T*>(whole.data()), whole.leading_dimension());
}

}  // namespace

template <MatrixElement T>
TwoAndAHalfDMultiplication<T>::TwoAndAHalfDMultiplication(const Communicator& communicator,
                                                          const LayeredGrid& grid,
                                                          const ProductLayouts& product,
                                                          const LayerOptions& options)
    : idle_ranks_(communicator, grid.size()),
      product_(product),
      own_(product, OwnOperands::as_given) {
  check(communicator, grid);
  const std::int64_t n = product.size().n;
  const auto here = grid.position(communicator.rank());
  constexpr int no_part = -1;
  const Communicator layer = communicator.split(
      here ? here->layer : no_part, here ? here->row * grid.columns() + here->column : 0);
  const Communicator line = communicator.split(
      here ? here->row * grid.columns() + here->column : no_part, here ? here->layer : 0);

  collective_try(communicator, [&] {
    own_.make(communicator, wanted_in_layers(product.size(), grid, options.inside));
    if (!here) return;
    place_.emplace(Place{layer, line, std::nullopt, {}, std::nullopt, {}, nullptr, nullptr});
    if (options.inside == LayerAlgorithm::slabs) return;
    place_->slice = slice_of(product, grid, here->layer, options.inside);
    const ProductLayouts& slice = place_->slice;
    if (grid.layers() == 1) return;
    const auto columns = grid.c_columns(n);
    const std::int64_t rows = slice.C.local_rows(layer.rank());
    std::vector<std::size_t> counts;
    for (int other = 0; other < grid.layers(); ++other) {
      counts.push_back(static_cast<std::size_t>(
          rows * columns.local_extent(here->column * grid.layers() + other)));
    }
    const std::size_t mine = counts[static_cast<std::size_t>(here->layer)];
    place_->partial.emplace(layer, slice.C);
    const auto elements = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    place_->sum = AlignedArray<T>(static_cast<std::int64_t>(mine), "sums of C");
    place_->summation = plan_reduce_scatterv(
        line, {place_->partial->data(), elements, datatype_of<T>()},
        {place_->sum.data(), mine, datatype_of<T>()}, counts, Reduction::Kind::sum);
  });
  // Of a layer all ranks fail, or none: the others learn of it.
  collective_try(communicator, [&] {
    if (!place_) return;
    if (options.inside == LayerAlgorithm::slabs) {
      place_->slabs = std::make_unique<SlabbedLayer<T>>(layer, line, grid, *here, product.size());
    } else {
      place_->multiplication = inside_layer<T>(layer, place_->slice, options);
    }
  });
}

template <MatrixElement T>
PhaseSeconds TwoAndAHalfDMultiplication<T>::multiply_on_grid(T alpha, const Matrix<T>& A,
                                                             const Matrix<T>& B, T beta,
                                                             Matrix<T>& C, const LocalGemm& gemm) {
  if (place_->slabs) {
    return place_->slabs->run(alpha, flat_left_operand(product_.op_a, A),
                              flat_right_operand(product_.op_b, B), beta, C.local(), gemm);
  }
  const Communicator& layer = place_->layer;
  const ProductLayouts& slice = place_->slice;
  const Matrix<T> slice_a = as_slice(layer, slice.A, A);
  const Matrix<T> slice_b = as_slice(layer, slice.B, B);
  if (!place_->partial) {
    Matrix<T> whole = as_slice(layer, slice.C, C);
    return place_->multiplication->run(alpha, slice_a, slice_b, beta, whole, gemm);
  }
  PhaseSeconds seconds =
      place_->multiplication->run(alpha, slice_a, slice_b, T(0), *place_->partial, gemm);
  const Stopwatch watch(seconds.broadcast);
  add_sums(beta, C.local());
  return seconds;
}

/// C ← β·C + the layers' sum.
template <MatrixElement T>
void TwoAndAHalfDMultiplication<T>::add_sums(T beta, LocalView<T> C) {
  place_->summation->run();
  const T* const sum = place_->sum.data();
  scale(beta, C);
  for (std::int64_t j = 0; j < C.columns; ++j) {
    T* const column = C.column(j);
    for (std::int64_t i = 0; i < C.rows; ++i) column[i] += sum[i + j * C.rows];
  }
}

template <MatrixElement T>
PhaseSeconds TwoAndAHalfDMultiplication<T>::run(T alpha, const Matrix<T>& A, const Matrix<T>& B,
                                                T beta, Matrix<T>& C, const LocalGemm& gemm) {
  PhaseSeconds seconds;
  if (alpha == T(0) || product_.size().k == 0) {
    scale(beta, C.local());
    return seconds;
  }
  idle_ranks_.run([&] {
    own_.bring(A, B, beta, C, seconds.distribute);
    if (!place_) return;
    const PhaseSeconds on_grid =
        multiply_on_grid(alpha, own_.a(A), own_.b(B), beta, own_.c(C), gemm);
    seconds.distribute += on_grid.distribute;
    seconds.broadcast = on_grid.broadcast;
    seconds.gemm = on_grid.gemm;
  });
  own_.take_back(C, seconds.distribute);
  return seconds;
}

template class TwoAndAHalfDMultiplication<float>;
template class TwoAndAHalfDMultiplication<double>;
template class TwoAndAHalfDMultiplication<std::complex<float>>;
template class TwoAndAHalfDMultiplication<std::complex<double>>;

}  // namespace cuboid::detail
