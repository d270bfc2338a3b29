#include <cuboid/collectives/agreed.hpp>
#include <cuboid/collectives/allgather.hpp>
#include <cuboid/collectives/reduce_scatter.hpp>
#include <cuboid/mm/local_copy.hpp>
#include <cuboid/mm/slabbed_layer.hpp>
#include <cuboid/mm/stopwatch.hpp>

#include <algorithm>
#include <complex>
#include <numeric>
#include <utility>

namespace cuboid {

namespace {

/// Slabs of op(A) and op(B) that are on their way besides the pair in use.
constexpr std::size_t slabs_ahead = 2;

template <class Dimension>
std::vector<std::int64_t> extents(const BlockCyclic<Dimension>& line, int first, int count) {
  std::vector<std::int64_t> result;
  for (int part = first; part < first + count; ++part) result.push_back(line.local_extent(part));
  return result;
}

std::int64_t sum_of(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{0});
}

/// The stored elements of some slices, all this rank's inner indices.
template <MatrixElement T>
LocalView<const T> slices_of(const TallOperand<T>& operand, LocalRange<Inner> slices) {
  const LocalView<const T> local = operand.stored.local();
  return operand.tall ? local.block(slices.begin.value, 0, slices.extent(), local.columns)
                      : local.block(0, slices.begin.value, local.rows, slices.extent());
}

}  // namespace

void PlannedMove::start() {
  if (plan_) request_.emplace(plan_->start());
}

void PlannedMove::progress() {
  if (request_ && request_->test()) request_.reset();
}

void PlannedMove::finish() {
  if (request_) request_->wait();
  request_.reset();
}

template <MatrixElement T>
SlabFace<T>::SlabFace(const Communicator& line, std::vector<std::int64_t> inner,
                      std::vector<Slab> slabs)
    : inner_extent_(sum_of(inner)),
      inner_begin_(std::accumulate(inner.begin(), inner.begin() + line.rank(), std::int64_t{0})),
      inner_own_(inner[static_cast<std::size_t>(line.rank())]),
      slabs_(std::move(slabs)),
      memory_((slabs_.back().begin + slabs_.back().extent) * inner_extent_, "a layer's operand"),
      gathers_(slabs_.size()) {
  if (line.size() == 1 || inner_extent_ == 0) return;
  for (std::size_t number = 0; number < slabs_.size(); ++number) {
    const Slab& slab = slabs_[number];
    if (slab.extent == 0) continue;
    std::vector<std::size_t> counts;
    for (const std::int64_t extent : inner) {
      counts.push_back(static_cast<std::size_t>(extent * slab.extent));
    }
    gathers_[number] = PlannedMove(plan_allgatherv(
        line,
        {own_part(slab), static_cast<std::size_t>(inner_own_ * slab.extent), datatype_of<T>()},
        {place_of(slab), static_cast<std::size_t>(inner_extent_ * slab.extent), datatype_of<T>()},
        counts));
  }
}

template <MatrixElement T>
void SlabFace<T>::start(std::size_t number, const TallOperand<T>& operand) {
  const Slab& slab = slabs_[number];
  std::int64_t row = 0;
  for (const LocalRange<Inner>& range : slab.ranges) {
    copy(operand.packing_op, slices_of(operand, range),
         LocalView<T>{own_part(slab) + row, range.extent(), inner_own_, slab.extent});
    row += range.extent();
  }
  gathers_[number].start();
}

template <MatrixElement T>
void SlabFace<T>::progress() {
  for (PlannedMove& gather : gathers_) gather.progress();
}

template <MatrixElement T>
Panel<T> SlabFace<T>::panel(std::size_t slab, Op op) const {
  return {place_of(slabs_[slab]), std::max<std::int64_t>(slabs_[slab].extent, 1), op};
}

template <MatrixElement T>
SlabbedLayer<T>::SlabbedLayer(const Communicator& layer, const Communicator& line,
                              const LayeredGrid& grid, const LayeredPosition& here,
                              const ProductSize& size)
    : grid_(layer, GridShape(grid.rows(), grid.columns())), layer_(here.layer) {
  const auto& [m, n, k] = size;
  const auto rows = BlockCyclic<Row>::even(m, grid.rows());
  const auto columns = BlockCyclic<Column>::even(n, grid.columns(), grid.layers());
  const auto of_a = BlockCyclic<Inner>::even(k, grid.layers(), grid.columns());
  const auto of_b = BlockCyclic<Inner>::even(k, grid.layers(), grid.rows());
  agreed(layer, [&] {
    const std::vector<std::int64_t> height{rows.local_extent(here.row)};
    const auto pieces = extents(columns, here.column * grid.layers(), grid.layers());
    // The same on every rank, for each collective needs all of its line.
    const SlabCut cut = slab_cut(m / grid.rows(), n / grid.columns());
    a_.emplace(grid_.row(), extents(of_a, here.layer * grid.columns(), grid.columns()),
               cut_slabs(height, cut));
    b_.emplace(grid_.column(), extents(of_b, here.layer * grid.rows(), grid.rows()),
               cut_slabs(pieces, cut));
    const auto widest = [](const std::vector<Slab>& slabs) {
      return std::ranges::max(slabs, {}, &Slab::extent).extent;
    };
    const std::int64_t own = pieces[static_cast<std::size_t>(here.layer)];
    tile_ = AlignedArray<T>(widest(a_->slabs()) * widest(b_->slabs()), "a tile of C");
    parts_ = AlignedArray<T>(height.front() * sum_of(pieces), "a layer's C");
    sums_ = AlignedArray<T>(height.front() * own, "sums of C");
    dealt_.resize(pieces.size());
    cut_borders();
    plan_summations(line);
  });
}

template <MatrixElement T>
void SlabbedLayer<T>::cut_borders() {
  for (std::size_t last = 0; last < a_->slabs().size(); ++last) {
    Border border;
    for (std::size_t other = 0; other < last; ++other) {
      border.tiles.push_back({other, last});
      border.tiles.push_back({last, other});
    }
    border.tiles.push_back({last, last});
    border.counts.resize(dealt_.size());
    for (const Tile& tile : border.tiles) {
      for (std::size_t layer = 0; layer < border.counts.size(); ++layer) {
        border.counts[layer] += static_cast<std::size_t>(
            a_->slabs()[tile.row].extent * b_->slabs()[tile.column].ranges[layer].extent());
      }
    }
    borders_.push_back(std::move(border));
  }
}

template <MatrixElement T>
void SlabbedLayer<T>::plan_summations(const Communicator& line) {
  T* part = parts_.data();
  T* sum = sums_.data();
  for (Border& border : borders_) {
    T* const begin = part;
    for (const std::size_t count : border.counts) {
      border.parts.push_back(part);
      part += count;
    }
    const std::size_t mine = border.counts[static_cast<std::size_t>(layer_)];
    if (part != begin) {
      border.summation = PlannedMove(plan_reduce_scatterv(
          line, {begin, static_cast<std::size_t>(part - begin), datatype_of<T>()},
          {sum, mine, datatype_of<T>()}, border.counts, Reduction::Kind::sum));
    }
    sum += mine;
  }
}

template <MatrixElement T>
PhaseSeconds SlabbedLayer<T>::run(T alpha, const TallOperand<T>& left, const TallOperand<T>& right,
                                  T beta, LocalView<T> C, const LocalGemm& gemm) {
  PhaseSeconds seconds;
  std::size_t next = 0;
  for (std::size_t step = 0; step < borders_.size(); ++step) {
    {
      const Stopwatch watch(seconds.broadcast);
      for (; next < borders_.size() && next <= step + slabs_ahead; ++next) {
        a_->start(next, left);
        b_->start(next, right);
      }
      a_->finish(step);
      b_->finish(step);
    }
    {
      const Stopwatch watch(seconds.gemm);
      multiply_border(borders_[step], alpha, right.panel_op, gemm);
    }
    const Stopwatch watch(seconds.broadcast);
    borders_[step].summation.start();
  }
  const Stopwatch watch(seconds.broadcast);
  for (Border& border : borders_) border.summation.finish();
  put_away(beta, C);
  return seconds;
}

template <MatrixElement T>
void SlabbedLayer<T>::progress() {
  a_->progress();
  b_->progress();
  for (Border& border : borders_) border.summation.progress();
}

/// Each tile is computed whole and then dealt out to the layers that its columns belong to.
template <MatrixElement T>
void SlabbedLayer<T>::multiply_border(const Border& border, T alpha, Op op_b,
                                      const LocalGemm& gemm) {
  std::ranges::fill(dealt_, 0);
  for (const auto& [row, column] : border.tiles) {
    progress();
    const std::int64_t rows = a_->slabs()[row].extent;
    const Slab& columns = b_->slabs()[column];
    if (rows == 0 || columns.extent == 0) continue;
    const LocalView<T> tile{tile_.data(), rows, columns.extent, rows};
    const Panel<T> a = a_->panel(row, Op::none), b = b_->panel(column, op_b);
    gemm(a.op, b.op, rows, columns.extent, a_->inner(), alpha, a.data, a.leading_dimension, b.data,
         b.leading_dimension, T(0), tile.data, tile.leading_dimension);
    const T* from = tile.data;
    for (std::size_t layer = 0; layer < border.parts.size(); ++layer) {
      const std::int64_t count = rows * columns.ranges[layer].extent();
      std::copy_n(from, count, border.parts[layer] + dealt_[layer]);
      dealt_[layer] += static_cast<std::size_t>(count);
      from += count;
    }
  }
}

/// C ← β·C + the sums, tile by tile as they were dealt out.
template <MatrixElement T>
void SlabbedLayer<T>::put_away(T beta, LocalView<T> C) const {
  scale(beta, C);
  const auto mine = static_cast<std::size_t>(layer_);
  const std::int64_t first = b_->slabs().front().ranges[mine].begin.value;
  const T* sum = sums_.data();
  for (const Border& border : borders_) {
    for (const auto& [row, column] : border.tiles) {
      const Slab& rows = a_->slabs()[row];
      const LocalRange<Inner>& columns = b_->slabs()[column].ranges[mine];
      for (std::int64_t j = 0; j < columns.extent(); ++j) {
        T* const into = C.column(columns.begin.value - first + j) + rows.begin;
        for (std::int64_t i = 0; i < rows.extent; ++i) into[i] += *sum++;
      }
    }
  }
}

template class SlabbedLayer<float>;
template class SlabbedLayer<double>;
template class SlabbedLayer<std::complex<float>>;
template class SlabbedLayer<std::complex<double>>;

}  // namespace cuboid
