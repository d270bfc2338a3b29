#include "mm/drivers/layered/slabbed_layer.hpp"

#include <cuboid/collectives.hpp>

#include "base/copy_bytes.hpp"
#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/process_grid.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <numeric>
#include <thread>

namespace cuboid::detail {

namespace {

/// Slabs of op(A) and op(B) that are in flight besides the pair in use.
constexpr std::size_t slabs_ahead = 1;

/// The number of vectors of each piece of a block that each rank of a line owns. The ranks' parts
/// are numbered from first_owner on, the pieces from first_piece on.
template <class Dimension>
OwnedVectors owned_vectors(const BlockCyclic<Dimension>& by_owner, int first_owner, int owners,
                           const BlockCyclic<Dimension>& by_piece, int first_piece, int pieces) {
  OwnedVectors owned(static_cast<std::size_t>(owners));
  for (int piece = first_piece; piece < first_piece + pieces; ++piece) {
    const Global<Dimension> begin = by_piece.global(piece, Local<Dimension>(0));
    const GlobalRange<Dimension> range{begin, begin + by_piece.local_extent(piece)};
    for (int owner = 0; owner < owners; ++owner) {
      owned[static_cast<std::size_t>(owner)].push_back(
          by_owner.local_range(first_owner + owner, range).extent());
    }
  }
  return owned;
}

std::vector<std::int64_t> of_piece(const OwnedVectors& owned, std::size_t piece) {
  std::vector<std::int64_t> extents;
  for (const auto& pieces : owned) extents.push_back(pieces[piece]);
  return extents;
}

std::vector<double> shares_of(const SlabCut& cut, double SlabShares::*share) {
  std::vector<double> shares;
  for (const SlabShares& step : cut.steps) shares.push_back(step.*share);
  return shares;
}

}  // namespace

template <MatrixElement T>
SlabbedLayer<T>::SlabbedLayer(const LayerRanks& ranks, const LayeredGrid& grid,
                              const ProductSize& size)
    : layer_(static_cast<std::size_t>(ranks.here.layer)),
      layers_(static_cast<std::size_t>(grid.layers())),
      inner_(BlockCyclic<Inner>::even(size.k, grid.layers()).local_extent(ranks.here.layer)),
      distributed_(layers_) {
  const LayeredPosition& here = ranks.here;
  const ProcessGrid places(ranks.layer, GridShape(grid.rows(), grid.columns()));
  const int P = grid.rows(), Q = grid.columns(), c = grid.layers();
  const OwnedVectors owned_rows = owned_vectors(grid.slab_rows(size.m), here.row * Q, Q,
                                                BlockCyclic<Row>::even(size.m, P), here.row, 1);
  const OwnedVectors owned_columns = owned_vectors(grid.slab_columns(size.n), here.column * P, P,
                                                   grid.c_columns(size.n), here.column * c, c);
  row_begins_ = begins(of_piece(owned_rows, 0));
  column_begins_ = begins(of_piece(owned_columns, layer_));

  // The cut is the same on every rank, because each collective needs all ranks of its line.
  const SlabCut cut = slab_cut(size, grid);
  const std::array whole{std::size_t{0}};
  const std::array mine{layer_};
  std::vector<std::size_t> of_others;
  for (std::size_t piece = 0; piece < layers_; ++piece) {
    if (piece != layer_) of_others.push_back(piece);
  }
  received_ = cut_slabs(owned_columns, static_cast<std::size_t>(here.row), mine,
                        shares_of(cut, &SlabShares::given))
                  .all;
  collective_try(ranks.layer, [&] {
    rows_.emplace(places.row(), owned_rows, whole, shares_of(cut, &SlabShares::rows), inner_);
    given_.emplace(places.column(), owned_columns, of_others, shares_of(cut, &SlabShares::given),
                   inner_);
    kept_.emplace(places.column(), owned_columns, mine, shares_of(cut, &SlabShares::kept), inner_);
    cut_borders(cut);
    plan_summations(ranks.line);
  });
}

/// Cuts C into the tiles that each slab completes: the slab's rows with all columns that have
/// arrived, and the earlier rows with the slab's columns. The first slab includes the rank's own
/// part. Kept columns follow once any arrive. With a single layer no columns are given.
template <MatrixElement T>
void SlabbedLayer<T>::cut_borders(const SlabCut& cut) {
  bool any_kept = false;
  for (std::size_t last = 1; last < rows_->slabs().size(); ++last) {
    const std::vector<Tile> all{{0, last + 1, 0, last + 1}};
    const std::vector<Tile> more{{last, last + 1, 0, last + 1}, {0, last, last, last + 1}};
    Border& border = borders_.emplace_back();
    if (layers_ > 1) border.given = last == 1 ? all : more;
    border.counts = given_counts(border.given);
    if (cut.steps[last - 1].kept == 0) continue;
    border.kept = any_kept ? more : all;
    any_kept = true;
  }
  std::int64_t largest = 0;
  for (const Border& border : borders_) {
    for (const Tile& tile : border.given) largest = std::max(largest, elements(tile, *given_));
    for (const Tile& tile : border.kept) largest = std::max(largest, elements(tile, *kept_));
  }
  tile_ = AlignedArray<T>(largest, "a tile of C");
}

template <MatrixElement T>
std::int64_t SlabbedLayer<T>::elements(const Tile& tile, const SlabFace<T>& columns) const {
  return rows_->extent(tile.first_row, tile.end_row) *
         columns.extent(tile.first_column, tile.end_column);
}

/// The number of elements of given tiles for each layer. For this layer it is the number of another
/// layer.
template <MatrixElement T>
std::vector<std::size_t> SlabbedLayer<T>::given_counts(const std::vector<Tile>& tiles) const {
  std::vector<std::size_t> counts(layers_);
  for (const Tile& tile : tiles) {
    const std::int64_t height = rows_->extent(tile.first_row, tile.end_row);
    for (std::size_t slab = tile.first_column; slab < tile.end_column; ++slab) {
      for (std::size_t layer = 0; layer < counts.size(); ++layer) {
        const Slab& columns = layer == layer_ ? received_[slab] : given_->slabs()[slab];
        counts[layer] += static_cast<std::size_t>(height * extent_of_piece(columns, layer));
      }
    }
  }
  return counts;
}

/// A layer adds its products to its own piece itself, so it sends zeros.
template <MatrixElement T>
void SlabbedLayer<T>::plan_summations(const Communicator& line) {
  std::size_t all = 0, received = 0;
  for (const Border& border : borders_) {
    all += std::accumulate(border.counts.begin(), border.counts.end(), std::size_t{0});
    received += border.counts[layer_];
  }
  parts_ = AlignedArray<T>(static_cast<std::int64_t>(all), "a layer's C");
  sums_ = AlignedArray<T>(static_cast<std::int64_t>(received), "sums of C");
  T* part = parts_.data();
  T* sum = sums_.data();
  for (Border& border : borders_) {
    T* const begin = part;
    for (const std::size_t count : border.counts) {
      border.parts.push_back(part);
      part += count;
    }
    const std::size_t mine = border.counts[layer_];
    std::fill_n(border.parts[layer_], mine, T(0));
    if (part != begin) {
      border.summation = plan_reduce_scatterv(
          line, {begin, static_cast<std::size_t>(part - begin), datatype_of<T>()},
          {sum, mine, datatype_of<T>()}, border.counts, Reduction::Kind::sum);
    }
    sum += mine;
  }
}

template <MatrixElement T>
void SlabbedLayer<T>::run(T alpha, const FlatOperand<T>& left, const FlatOperand<T>& right, T beta,
                          LocalView<T> C, const LocalGemm& gemm, PhaseSeconds& seconds) {
  const std::size_t slabs = rows_->slabs().size();
  std::size_t next = 1;
  const auto start_until = [&](std::size_t end) {
    for (; next < std::min(end, slabs); ++next) {
      rows_->start(next);
      given_->start(next);
      kept_->start(next);
    }
  };
  {
    const Stopwatch watch(seconds.broadcast);
    for (std::size_t slab = 1; slab < slabs; ++slab) {
      rows_->pack(slab, left);
      given_->pack(slab, right);
      kept_->pack(slab, right);
      if (slab <= 1 + slabs_ahead) start_until(slab + 1);
      // If ranks share a core, all of them begin to send before one of them packs more.
      std::this_thread::yield();
    }
    scale(beta, C);
  }
  for (std::size_t slab = 1; slab < slabs; ++slab) {
    Border& border = borders_[slab - 1];
    {
      const Stopwatch watch(seconds.broadcast);
      start_until(slab + slabs_ahead + 1);
      rows_->finish(slab);
      given_->finish(slab);
      kept_->finish(slab);
    }
    {
      const Stopwatch watch(seconds.gemm);
      std::ranges::fill(distributed_, 0);
      for (const Tile& tile : border.given) {
        multiply(tile, *given_, alpha, left.panel_op, right.panel_op, gemm);
        distribute(tile, border);
      }
    }
    {
      const Stopwatch watch(seconds.broadcast);
      if (border.summation) border.sums_in_flight = border.summation->start();
    }
    const Stopwatch watch(seconds.gemm);
    for (const Tile& tile : border.kept) {
      multiply(tile, *kept_, alpha, left.panel_op, right.panel_op, gemm);
      add(tile, kept_->slabs(), tile_.data(), C);
    }
  }
  const Stopwatch watch(seconds.broadcast);
  const T* sum = sums_.data();
  for (Border& border : borders_) {
    border.sums_in_flight.wait();
    for (const Tile& tile : border.given) sum = add(tile, received_, sum, C);
  }
}

template <MatrixElement T>
bool SlabbedLayer<T>::progress() {
  bool moves = rows_->progress();
  moves |= given_->progress();
  moves |= kept_->progress();
  for (Border& border : borders_) moves |= !border.sums_in_flight.test();
  return moves;
}

/// Multiplies a tile into tile_, column by column.
template <MatrixElement T>
void SlabbedLayer<T>::multiply(const Tile& tile, const SlabFace<T>& columns, T alpha, Op op_a,
                               Op op_b, const LocalGemm& gemm) {
  if (elements(tile, columns) == 0) return;
  const std::int64_t height = rows_->extent(tile.first_row, tile.end_row);
  const std::int64_t breadth = columns.extent(tile.first_column, tile.end_column);
  gemm_in_strips(alpha, rows_->panel(tile.first_row, op_a), columns.panel(tile.first_column, op_b),
                 inner_, T(0), LocalView<T>{tile_.data(), height, breadth, height}, gemm,
                 [&] { return progress(); });
}

/// Copies a tile to the memory of the layers to which its columns belong.
template <MatrixElement T>
void SlabbedLayer<T>::distribute(const Tile& tile, const Border& border) {
  const std::int64_t height = rows_->extent(tile.first_row, tile.end_row);
  const T* from = tile_.data();
  for (std::size_t slab = tile.first_column; slab < tile.end_column; ++slab) {
    for (const VectorRun& run : given_->slabs()[slab].runs) {
      const std::int64_t count = height * run.extent;
      std::size_t& so_far = distributed_[run.piece];
      copy_bytes(border.parts[run.piece] + so_far, from,
                 static_cast<std::size_t>(count) * sizeof(T));
      so_far += static_cast<std::size_t>(count);
      from += count;
    }
  }
}

/// Adds a tile, column by column at `from`, to C. Returns the end of the tile's memory.
/// @param columns  slabs of columns of this layer's piece.
template <MatrixElement T>
const T* SlabbedLayer<T>::add(const Tile& tile, const std::vector<Slab>& columns, const T* from,
                              LocalView<T> C) const {
  for (std::size_t column_slab = tile.first_column; column_slab < tile.end_column; ++column_slab) {
    for (const VectorRun& breadth : columns[column_slab].runs) {
      const std::int64_t first = column_begins_[breadth.owner] + breadth.begin;
      for (std::int64_t j = first; j < first + breadth.extent; ++j) {
        for (std::size_t slab = tile.first_row; slab < tile.end_row; ++slab) {
          for (const VectorRun& run : rows_->slabs()[slab].runs) {
            T* const to = C.column(j) + row_begins_[run.owner] + run.begin;
            for (std::int64_t i = 0; i < run.extent; ++i) to[i] += from[i];
            from += run.extent;
          }
        }
      }
    }
  }
  return from;
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(SlabbedLayer);

}  // namespace cuboid::detail
