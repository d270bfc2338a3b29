#include "mm/drivers/layered/two_and_a_half_d.hpp"

#include <cuboid/collectives.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/decompositions/required_layouts.hpp"
#include "mm/drivers/cannon/cannon.hpp"
#include "mm/drivers/cannon/sd_cannon.hpp"
#include "mm/drivers/layered/slabbed_multiplication.hpp"
#include "mm/drivers/summa/summa.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <complex>
#include <cstddef>
#include <numeric>
#include <vector>

namespace cuboid::detail {

namespace {

/// A layer's slice of the product on the ranks of the layer.
ProductLayouts slice_of(const ProductLayouts& product, const LayeredGrid& grid, int layer,
                        LayerAlgorithm inside) {
  const auto& [m, n, k] = product.size();
  const LayeredGrid alone(grid.rows(), grid.columns(), 1);
  const std::int64_t width = BlockCyclic<Inner>::even(k, grid.layers()).local_extent(layer);
  const RequiredLayouts wanted = wanted_in_layers({m, n, width}, alone, inside);
  return {applied(product.op_a, wanted.A), product.op_a, applied(product.op_b, wanted.B),
          product.op_b, wanted.C};
}

/// The part of an operand that a layer multiplies. The inner indices are the operand's columns or
/// its rows.
BlockRange inner_part(const Layout& operand, bool in_columns, GlobalRange<Inner> inner) {
  return in_columns ? BlockRange{operand.rows().all(), inner.as<Column>()}
                    : BlockRange{inner.as<Row>(), operand.columns().all()};
}

template <MatrixElement T>
std::unique_ptr<Multiplication<T>> inside_layer(const Communicator& layer,
                                                const ProductLayouts& slice,
                                                const LayerOptions& options) {
  if (options.inside == LayerAlgorithm::cannon) {
    return std::make_unique<CannonMultiplication<T>>(layer, slice.C.grid(), slice);
  }
  if (options.inside == LayerAlgorithm::sd_cannon) {
    FoldedGrid folded = FoldedGrid::plain(slice.C.grid());
    if (!options.digits.empty()) folded.digits = options.digits;
    return std::make_unique<SdCannonMultiplication<T>>(layer, folded, slice);
  }
  return std::make_unique<SummaMultiplication<T>>(layer, slice.C.grid(), slice, options.panel_width,
                                                  options.order);
}

/// This rank's part of a slice, in place.
template <MatrixElement T>
Matrix<T> as_slice(const Communicator& layer, const Layout& layout, const Matrix<T>& whole) {
  // A multiplication only reads its operands, although a Matrix refers to writable memory.
  return Matrix<T>::wrap(layer, layout, const_cast<T*>(whole.data()), whole.leading_dimension());
}

}  // namespace

template <MatrixElement T>
TwoAndAHalfDMultiplication<T>::TwoAndAHalfDMultiplication(const Communicator& communicator,
                                                          const LayeredGrid& grid,
                                                          const ProductLayouts& product,
                                                          const LayerOptions& options)
    : MultiplicationDriver<T>(communicator, grid.size(), product, OwnOperands::as_given) {
  const auto ranks = layer_ranks(communicator, grid);
  const bool replicates = options.replicated_operands && grid.layers() > 1;
  collective_try(communicator, [&] {
    this->own().make(communicator, replicates
                                       ? wanted_on_first_layer(product.size(), grid)
                                       : wanted_in_layers(product.size(), grid, options.inside));
    if (!ranks) return;
    place_.emplace(
        LayerPosition{ranks->layer, std::nullopt, std::nullopt, {}, std::nullopt, {}, nullptr});
    if (replicates) {
      replicate_operands(*ranks, grid, product);
      plan_summation_on_first_layer(*ranks);
      return;
    }
    place_->slice = slice_of(product, grid, ranks->here.layer, options.inside);
    if (grid.layers() > 1) plan_summation(*ranks, grid, product.size().n);
  });
  // All ranks of a layer fail, or none. The other layers learn of the failure here.
  collective_try(communicator, [&] {
    if (place_) place_->multiplication = inside_layer<T>(ranks->layer, place_->slice, options);
  });
}

template <MatrixElement T>
void TwoAndAHalfDMultiplication<T>::replicate_operands(const LayerRanks& ranks,
                                                       const LayeredGrid& grid,
                                                       const ProductLayouts& product) {
  const auto layers = BlockCyclic<Inner>::even(product.size().k, grid.layers());
  const Global<Inner> begin = layers.global(ranks.here.layer, Local<Inner>(0));
  const GlobalRange<Inner> inner{begin, begin + layers.local_extent(ranks.here.layer)};
  const RequiredLayouts on_layer =
      wanted_on_first_layer(product.size(), LayeredGrid(grid.rows(), grid.columns(), 1));
  const Layout A = applied(product.op_a, on_layer.A), B = applied(product.op_b, on_layer.B);
  place_->copies.emplace(
      LayerOperands{LayerCopy<T>(ranks, A, inner_part(A, product.op_a == Op::none, inner)),
                    LayerCopy<T>(ranks, B, inner_part(B, product.op_b != Op::none, inner))});
  place_->slice = {place_->copies->A.slice().layout(), product.op_a,
                   place_->copies->B.slice().layout(), product.op_b, on_layer.C};
}

template <MatrixElement T>
void TwoAndAHalfDMultiplication<T>::plan_summation_on_first_layer(const LayerRanks& ranks) {
  place_->partial.emplace(ranks.layer, place_->slice.C);
  const LocalView<T> mine = place_->partial->local();
  const auto count = static_cast<std::size_t>(mine.rows * mine.columns);
  const bool is_root = ranks.here.layer == 0;
  place_->sum = AlignedArray<T>(is_root ? mine.rows * mine.columns : 0, "sums of C");
  place_->summation =
      plan_reduce(ranks.line, {mine.data, count, datatype_of<T>()},
                  {place_->sum.data(), count, datatype_of<T>()}, Reduction::Kind::sum, 0);
}

template <MatrixElement T>
void TwoAndAHalfDMultiplication<T>::plan_summation(const LayerRanks& ranks, const LayeredGrid& grid,
                                                   std::int64_t n) {
  const auto& [here, layer, line] = ranks;
  const auto columns = grid.c_columns(n);
  const std::int64_t rows = place_->slice.C.local_rows(layer.rank());
  std::vector<std::size_t> counts;
  for (int other = 0; other < grid.layers(); ++other) {
    counts.push_back(
        static_cast<std::size_t>(rows * columns.local_extent(here.column * grid.layers() + other)));
  }
  const std::size_t mine = counts[static_cast<std::size_t>(here.layer)];
  place_->partial.emplace(layer, place_->slice.C);
  const auto elements = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  place_->sum = AlignedArray<T>(static_cast<std::int64_t>(mine), "sums of C");
  place_->summation = plan_reduce_scatterv(
      line, {place_->partial->data(), elements, datatype_of<T>()},
      {place_->sum.data(), mine, datatype_of<T>()}, counts, Reduction::Kind::sum);
}

template <MatrixElement T>
void TwoAndAHalfDMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                             PhaseSeconds& seconds) {
  if (!place_) return;
  const ProductLayouts& slice = place_->slice;
  if (auto& copies = place_->copies) {
    const Stopwatch watch(seconds.broadcast);
    copies->A.replicate(input.A);
    copies->B.replicate(input.B);
  }
  const Matrix<T> slice_a =
      place_->copies ? place_->copies->A.slice() : as_slice(place_->layer, slice.A, input.A);
  const Matrix<T> slice_b =
      place_->copies ? place_->copies->B.slice() : as_slice(place_->layer, slice.B, input.B);
  const auto multiply_slice = [&](T beta, Matrix<T>& C) {
    seconds += place_->multiplication->run(input.alpha, slice_a, slice_b, beta, C, gemm);
  };
  if (!place_->partial) {
    Matrix<T> whole = as_slice(place_->layer, slice.C, input.C);
    multiply_slice(input.beta, whole);
    return;
  }
  multiply_slice(T(0), *place_->partial);
  const Stopwatch watch(seconds.broadcast);
  add_sums(input.beta, input.C.local());
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
std::unique_ptr<Multiplication<T>> make_in_layers(const Communicator& communicator,
                                                  const LayeredGrid& grid,
                                                  const ProductLayouts& product,
                                                  const LayerOptions& options) {
  if (options.inside == LayerAlgorithm::slabs)
    return std::make_unique<SlabbedMultiplication<T>>(communicator, grid, product);
  return std::make_unique<TwoAndAHalfDMultiplication<T>>(communicator, grid, product, options);
}

#define CUBOID_INSTANTIATE(T)                                 \
  template std::unique_ptr<Multiplication<T>> make_in_layers( \
      const Communicator&, const LayeredGrid&, const ProductLayouts&, const LayerOptions&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
