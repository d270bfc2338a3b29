#include <cuboid/collectives/agreed.hpp>
#include <cuboid/collectives/allgather.hpp>
#include <cuboid/collectives/reduce_scatter.hpp>
#include <cuboid/mm/local_copy.hpp>
#include <cuboid/mm/slabbed_layer.hpp>
#include <cuboid/mm/stopwatch.hpp>

#include <algorithm>
#include <complex>
#include <numeric>
#include <span>
#include <utility>

namespace cuboid {

namespace {

/// Slabs of op(A) and op(B) that are on their way besides the pair in use.
constexpr std::size_t slabs_ahead = 1;

template <class Dimension>
std::vector<std::int64_t> extents(const BlockCyclic<Dimension>& line, int first, int count) {
  std::vector<std::int64_t> result;
  for (int part = first; part < first + count; ++part) result.push_back(line.local_extent(part));
  return result;
}

std::int64_t sum_of(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{0});
}

std::int64_t sum_before(const std::vector<std::int64_t>& extents, std::size_t number) {
  return sum_of(std::span(extents).first(number));
}

}  // namespace

void PlannedMove::start() {
  if (plan_) request_.emplace(plan_->start());
}

bool PlannedMove::progress() {
  if (request_ && request_->test()) request_.reset();
  return request_.has_value();
}

void PlannedMove::finish() {
  if (request_) request_->wait();
  request_.reset();
}

template <MatrixElement T>
SlabFace<T>::SlabFace(const Communicator& line, std::vector<std::int64_t> parts, std::int64_t inner,
                      const SlabCut& cut)
    : inner_(inner),
      slabs_(cut_slabs(parts, static_cast<std::size_t>(line.rank()), cut)),
      own_begin_(sum_before(parts, static_cast<std::size_t>(line.rank()))),
      memory_(sum_of(parts) * inner, "a layer's operand"),
      gathers_(slabs_.all.size()) {
  const auto own = static_cast<std::size_t>(line.rank());
  const auto elements = [&](std::int64_t slices) {
    return static_cast<std::size_t>(slices * inner_);
  };
  for (std::size_t number = 1; number < slabs_.all.size(); ++number) {
    const Slab& slab = slabs_.all[number];
    const LocalRange<Row>& sent = slabs_.sent[number];
    std::vector<std::size_t> counts, displacements;
    std::int64_t place = slab.begin;
    for (const LocalRange<Row>& range : slab.ranges) {
      counts.push_back(elements(range.extent()));
      displacements.push_back(elements(place));
      place += range.extent();
    }
    // From where it lies among this rank's own.
    counts[own] = elements(sent.extent());
    displacements[own] = elements(sent.begin.value - own_begin_);
    const bool moves = std::ranges::any_of(counts, [](std::size_t count) { return count > 0; });
    if (line.size() == 1 || !moves) continue;
    gathers_[number] = PlannedMove(plan_allgatherv(
        line, {memory_.data() + displacements[own], counts[own], datatype_of<T>()},
        {memory_.data(), elements(sum_of(parts)), datatype_of<T>()}, counts, displacements));
  }
}

template <MatrixElement T>
std::int64_t SlabFace<T>::extent(std::size_t first, std::size_t end) const {
  if (first == end) return 0;
  const Slab& last = slabs()[end - 1];
  return last.begin + last.extent - slabs()[first].begin;
}

template <MatrixElement T>
void SlabFace<T>::pack(std::size_t slab, const FlatOperand<T>& operand) {
  const LocalRange<Row>& sent = slabs_.sent[slab];
  const std::int64_t begin = sent.begin.value - own_begin_;
  copy(operand.packing_op, operand.slices(begin, sent.extent()),
       LocalView<T>{slice(begin), inner_, sent.extent(), std::max<std::int64_t>(inner_, 1)});
}

template <MatrixElement T>
bool SlabFace<T>::progress() {
  bool moves = false;
  for (PlannedMove& gather : gathers_) moves |= gather.progress();
  return moves;
}

template <MatrixElement T>
Panel<T> SlabFace<T>::panel(std::size_t slab, Op op) const {
  return {slice(slabs()[slab].begin), std::max<std::int64_t>(inner_, 1), op};
}

template <MatrixElement T>
SlabbedLayer<T>::SlabbedLayer(const Communicator& layer, const Communicator& line,
                              const LayeredGrid& grid, const LayeredPosition& here,
                              const ProductSize& size)
    : grid_(layer, GridShape(grid.rows(), grid.columns())),
      layer_(static_cast<std::size_t>(here.layer)) {
  const auto& [m, n, k] = size;
  const auto rows = BlockCyclic<Row>::even(m, grid.rows(), grid.columns());
  const auto columns = BlockCyclic<Column>::even(n, grid.columns(), grid.rows());
  const auto of_layers = BlockCyclic<Column>::even(n, grid.columns(), grid.layers());
  const std::int64_t inner = BlockCyclic<Inner>::even(k, grid.layers()).local_extent(here.layer);
  agreed(layer, [&] {
    // The same on every rank, for each collective needs all of its line.
    const SlabCut cut = slab_cut(m / grid.rows(), n / grid.columns(), grid.columns(), grid.rows());
    a_.emplace(grid_.row(), extents(rows, here.row * grid.columns(), grid.columns()), inner, cut);
    b_.emplace(grid_.column(), extents(columns, here.column * grid.rows(), grid.rows()), inner,
               cut);
    const auto pieces = extents(of_layers, here.column * grid.layers(), grid.layers());
    deal_columns(pieces);
    cut_borders();
    const std::size_t slabs = borders_.size();
    const std::int64_t height = a_->extent(0, slabs), breadth = b_->extent(0, slabs);
    parts_ = AlignedArray<T>(height * breadth, "a layer's C");
    sums_ = AlignedArray<T>(height * pieces[layer_], "sums of C");
    plan_summations(line);
  });
}

/// Which of each slab's columns each layer sums, pieces of C one behind the other.
template <MatrixElement T>
void SlabbedLayer<T>::deal_columns(const std::vector<std::int64_t>& pieces) {
  dealt_.resize(pieces.size());
  piece_begin_ = sum_before(pieces, layer_);
  for (const Slab& slab : b_->slabs()) {
    auto& columns_for = columns_for_.emplace_back();
    Local<Row> begin(0);
    for (std::size_t layer = 0; layer < pieces.size(); ++layer) {
      const Runs runs = runs_inside(slab, {begin, begin + pieces[layer]});
      std::int64_t extent = 0;
      for (const LocalRange<Row>& run : runs) extent += run.extent();
      columns_for.push_back(extent);
      if (layer == layer_) own_columns_.push_back(runs);
      begin += pieces[layer];
    }
  }
}

/// A slab of rows with all columns that are there, and the rows before it with the slab of columns.
template <MatrixElement T>
void SlabbedLayer<T>::cut_borders() {
  std::int64_t largest = 0;
  for (std::size_t last = 0; last < a_->slabs().size(); ++last) {
    Border border{.tiles = {{last, last + 1, 0, last + 1}, {0, last, last, last + 1}},
                  .counts = std::vector<std::size_t>(columns_for_.front().size())};
    for (const Tile& tile : border.tiles) {
      largest = std::max(largest, rows(tile) * columns(tile));
      for (std::size_t slab = tile.first_column; slab < tile.end_column; ++slab) {
        for (std::size_t layer = 0; layer < border.counts.size(); ++layer) {
          border.counts[layer] += static_cast<std::size_t>(rows(tile) * columns_for_[slab][layer]);
        }
      }
    }
    borders_.push_back(std::move(border));
  }
  tile_ = AlignedArray<T>(largest, "a tile of C");
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
    const std::size_t mine = border.counts[layer_];
    if (part != begin) {
      border.summation = PlannedMove(plan_reduce_scatterv(
          line, {begin, static_cast<std::size_t>(part - begin), datatype_of<T>()},
          {sum, mine, datatype_of<T>()}, border.counts, Reduction::Kind::sum));
    }
    sum += mine;
  }
}

template <MatrixElement T>
PhaseSeconds SlabbedLayer<T>::run(T alpha, const FlatOperand<T>& left, const FlatOperand<T>& right,
                                  T beta, LocalView<T> C, const LocalGemm& gemm) {
  PhaseSeconds seconds;
  const std::size_t slabs = borders_.size();
  std::size_t next = 0;
  const auto start_until = [&](std::size_t end) {
    for (; next < std::min(end, slabs); ++next) {
      a_->start(next);
      b_->start(next);
    }
  };
  {
    const Stopwatch watch(seconds.broadcast);
    for (std::size_t slab = 0; slab < slabs; ++slab) {
      a_->pack(slab, left);
      b_->pack(slab, right);
      if (slab <= slabs_ahead) start_until(slab + 1);
    }
  }
  for (std::size_t step = 0; step < slabs; ++step) {
    {
      const Stopwatch watch(seconds.broadcast);
      start_until(step + slabs_ahead + 1);
      a_->finish(step);
      b_->finish(step);
    }
    {
      const Stopwatch watch(seconds.gemm);
      multiply_border(borders_[step], alpha, left.panel_op, right.panel_op, gemm);
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
bool SlabbedLayer<T>::progress() {
  bool moves = a_->progress();
  moves |= b_->progress();
  for (Border& border : borders_) moves |= border.summation.progress();
  return moves;
}

/// Each tile is computed whole and then dealt out to the layers that its columns belong to.
template <MatrixElement T>
void SlabbedLayer<T>::multiply_border(const Border& border, T alpha, Op op_a, Op op_b,
                                      const LocalGemm& gemm) {
  std::ranges::fill(dealt_, 0);
  for (const Tile& tile : border.tiles) {
    const std::int64_t height = rows(tile), breadth = columns(tile);
    if (height == 0 || breadth == 0) continue;
    slabbed_gemm(alpha, a_->panel(tile.first_row, op_a), b_->panel(tile.first_column, op_b),
                 a_->inner(), T(0), LocalView<T>{tile_.data(), height, breadth, height}, gemm,
                 [&] { return progress(); });
    const T* from = tile_.data();
    for (std::size_t slab = tile.first_column; slab < tile.end_column; ++slab) {
      for (std::size_t layer = 0; layer < border.parts.size(); ++layer) {
        const std::int64_t count = height * columns_for_[slab][layer];
        std::copy_n(from, count, border.parts[layer] + dealt_[layer]);
        dealt_[layer] += static_cast<std::size_t>(count);
        from += count;
      }
    }
  }
}

/// C ← β·C + the sums, tile by tile as they were dealt out.
template <MatrixElement T>
void SlabbedLayer<T>::put_away(T beta, LocalView<T> C) const {
  scale(beta, C);
  const T* sum = sums_.data();
  const auto add_column = [&](const Tile& tile, T* column) {
    for (std::size_t slab = tile.first_row; slab < tile.end_row; ++slab) {
      for (const LocalRange<Row>& run : a_->slabs()[slab].ranges) {
        for (Local<Row> i = run.begin; i < run.end; ++i) column[i.value] += *sum++;
      }
    }
  };
  for (const Border& border : borders_) {
    for (const Tile& tile : border.tiles) {
      for (std::size_t slab = tile.first_column; slab < tile.end_column; ++slab) {
        for (const LocalRange<Row>& run : own_columns_[slab]) {
          for (Local<Row> j = run.begin; j < run.end; ++j) {
            add_column(tile, C.column(j.value - piece_begin_));
          }
        }
      }
    }
  }
}

template class SlabbedLayer<float>;
template class SlabbedLayer<double>;
template class SlabbedLayer<std::complex<float>>;
template class SlabbedLayer<std::complex<double>>;

}  // namespace cuboid
