#include "mm/lu/solve_systems.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/lu/lu_grid.hpp"
#include "mm/lu/row_exchange.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::int64_t even_block(std::int64_t extent, int processes) {
  return std::max<std::int64_t>((extent + processes - 1) / processes, 1);
}

// The solve on one rank of the grid. Its process row (column, if the systems have op) shares the
// right-hand sides: each process has some columns of B, each layer some blocks of their rows.
template <MatrixElement T>
class Solving {
 public:
  Solving(const LuGrid& grid, const PanelSchedule& schedule, bool by_rows, Matrix<T>& share,
          LocalView<T> sums)
      : schedule_(schedule),
        down_(by_rows ? grid.column_plane : grid.row_plane),
        across_(by_rows ? grid.row_plane : grid.column_plane),
        here_across_(by_rows ? grid.here->column : grid.here->row),
        layer_(grid.here->layer),
        share_(share),
        sums_(sums) {}

  void exchange(std::span<const RowMove> moves) const {
    if (moves.empty()) return;
    const auto& rows = share_.layout().rows();
    const auto place = [&](std::int64_t row) {
      return share_.data() + rows.local(Global<Row>(row)).value;
    };
    exchange_rows<T>(
        down_, moves, share_.local_columns(),
        [&](std::int64_t row) { return rows.owner(Global<Row>(row)); },
        [&](std::int64_t row) {
          return RowView<const T>{place(row), share_.leading_dimension()};
        },
        [&](std::int64_t row) {
          return RowView<T>{place(row), share_.leading_dimension()};
        });
  }

  // sums ← α·B, where B is the sum over the process row and all layers.
  void spread(T alpha) const {
    scale(T(0), sums_);
    scale(alpha, share_.local());
    blocks_of(layer_).for_each([&](std::int64_t row, std::int64_t in_share, std::int64_t length) {
      copy<T>(share_.local().block(in_share, 0, length, share_.local_columns()),
              sums_.block(row, columns_of(here_across_).begin, length, share_.local_columns()));
    });
  }

  void add_up() const {
    std::vector<T> packed;
    std::vector<std::size_t> counts;
    packed.reserve(static_cast<std::size_t>(sums_.rows * sums_.columns));
    for (int layer = 0; layer < schedule_.layers(); ++layer) {
      for (int process = 0; process < share_.layout().columns().processes(); ++process)
        counts.push_back(pack(layer, columns_of(process), packed));
    }
    if (packed.empty()) return;
    const auto mine = static_cast<std::size_t>(share_.local_rows() * share_.local_columns());
    reduce_scatterv(across_, packed, std::span<T>(share_.data(), mine), counts,
                    Reduction::Kind::sum);
  }

 private:
  LayerBlocks blocks_of(int layer) const {
    return {sums_.rows, schedule_.block(), schedule_.layers(), layer};
  }

  Extent columns_of(int process) const {
    const auto& columns = share_.layout().columns();
    const auto first = static_cast<std::int64_t>(process) * columns.block();
    return {std::min(first, columns.extent()), std::min(first + columns.block(), columns.extent())};
  }

  std::size_t pack(int layer, const Extent& columns, std::vector<T>& packed) const {
    const std::size_t before = packed.size();
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      const T* const column = sums_.column(j);
      blocks_of(layer).for_each([&](std::int64_t row, std::int64_t, std::int64_t length) {
        packed.insert(packed.end(), column + row, column + row + length);
      });
    }
    return packed.size() - before;
  }

  const PanelSchedule& schedule_;
  const Communicator& down_;
  const Communicator& across_;
  int here_across_;
  int layer_;
  Matrix<T>& share_;
  LocalView<T> sums_;
};

}  // namespace

template <MatrixElement T>
Layout equations_layout(const DistributedTriangles<T>& triangles, Op op, std::int64_t columns) {
  const LayeredGrid& grid = triangles.plan().grid;
  const bool by_rows = op == Op::none;
  const int down = by_rows ? grid.rows() : grid.columns();
  const int across = by_rows ? grid.columns() : grid.rows();
  const PanelSchedule& schedule = triangles.schedule();
  const BlockCyclic<Row> rows(schedule.n(), schedule.block(), down * grid.layers());
  const BlockCyclic<Column> along(columns, even_block(columns, across), across);
  if (by_rows) return {rows, along, triangles.layout().grid()};
  std::vector<int> ranks;
  for (int layer = 0; layer < grid.layers(); ++layer) {
    for (int column = 0; column < down; ++column) {
      for (int row = 0; row < across; ++row) ranks.push_back(grid.rank({row, column, layer}));
    }
  }
  return {rows, along, GridShape(down * grid.layers(), across, std::move(ranks))};
}

template <MatrixElement T>
void solve_systems(const DistributedTriangles<T>& triangles,
                   std::span<const TriangularSystem> systems, T alpha, const RowSwaps& swaps,
                   Matrix<T>& B, const LocalKernels& kernels) {
  const PanelSchedule& schedule = triangles.schedule();
  triangles.require_fitting("solve", B, B.m() == schedule.n(),
                            fmt::format("{} rows", schedule.n()));
  if (B.m() == 0 || B.n() == 0) return;
  const LuGrid& grid = triangles.grid();
  const LocalView<T> parts = triangles.parts();
  const bool by_rows = systems.front().by_rows();
  AlignedArray<T> memory;
  LocalView<T> sums;
  Matrix<T> share = collective_try(triangles.communicator(), [&] {
    if (grid.here) {
      const std::int64_t rows = by_rows ? parts.rows : parts.columns;
      memory = AlignedArray<T>(rows * B.n(), fmt::format("{} right-hand sides", B.n()));
      sums = dense_view(memory.data(), rows, B.n());
    }
    return Matrix<T>(triangles.communicator(),
                     equations_layout(triangles, systems.front().op, B.n()));
  });
  redistribute(Op::none, B, share);
  triangles.work([&] {
    const Solving<T> solving(grid, schedule, by_rows, share, sums);
    solving.exchange(moves_of(swaps.before, schedule.n(), false));
    solving.spread(alpha);
    for (const TriangularSystem& system : systems)
      solve_triangle<T>(grid, schedule, system, parts, sums, kernels);
    solving.add_up();
    solving.exchange(moves_of(swaps.after, schedule.n(), true));
  });
  redistribute(Op::none, share, B);
}

#define CUBOID_INSTANTIATE(T)                                                                    \
  template void solve_systems(const DistributedTriangles<T>&, std::span<const TriangularSystem>, \
                              T, const RowSwaps&, Matrix<T>&, const LocalKernels&);              \
  template Layout equations_layout(const DistributedTriangles<T>&, Op, std::int64_t)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
