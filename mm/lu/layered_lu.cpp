#include "mm/lu/layered_lu.hpp"

#include <cuboid/alltoall.hpp>
#include <cuboid/broadcast.hpp>
#include <cuboid/reduce_scatter.hpp>

#include "base/stopwatch.hpp"
#include "mm/gemm/slabbed_gemm.hpp"
#include "mm/lu/later_interchanges.hpp"
#include "mm/lu/row_exchange.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

namespace cuboid::detail {

namespace {

template <class T>
LocalView<T> view_of(std::vector<T>& memory, std::int64_t rows, std::int64_t columns) {
  memory.resize(static_cast<std::size_t>(rows * columns));
  return {memory.data(), rows, columns, std::max<std::int64_t>(rows, 1)};
}

template <class T>
LocalView<T> part(LocalView<T> view, const Extent& rows, const Extent& columns) {
  return view.block(rows.begin, columns.begin, rows.length(), columns.length());
}

/// Adds what a rank sends meanwhile to a count.
class CountedTraffic {
 public:
  CountedTraffic(const LuGrid& grid, std::size_t word, LuTraffic::Count& count)
      : grid_(grid), word_(word), count_(count), before_(so_far()) {}
  ~CountedTraffic() {
    const Traffic sent = so_far() - before_;
    count_.words += static_cast<double>(sent.bytes_sent) / static_cast<double>(word_);
    count_.messages += sent.messages_sent;
  }
  CountedTraffic(const CountedTraffic&) = delete;
  CountedTraffic& operator=(const CountedTraffic&) = delete;

 private:
  /// With all ranks that this one communicates with; its line is in both planes.
  Traffic so_far() const {
    Traffic traffic = grid_.row_plane.traffic();
    traffic += grid_.column_plane.traffic();
    return traffic - grid_.line.traffic();
  }

  const LuGrid& grid_;
  std::size_t word_;
  LuTraffic::Count& count_;
  Traffic before_;
};

/// A panel on its way from its grid column to all others.
template <MatrixElement T>
struct TravellingPanel {
  std::vector<std::int64_t> pivot_rows;
  std::vector<T> diagonal;  ///< on the diagonal block's grid row only
  std::vector<T> below;     ///< this layer's slice of L, below the diagonal block
  Request pivots_come, diagonal_comes, below_comes;

  bool in_flight() { return !below_comes.test() || !diagonal_comes.test() || !pivots_come.test(); }
};

template <MatrixElement T>
class LayeredLu {
 public:
  LayeredLu(const LuGrid& grid, const LuSchedule& schedule, const LuMethod& method,
            LocalView<T> parts, const LocalKernels& kernels)
      : grid_(grid),
        schedule_(schedule),
        method_(method),
        here_(*grid.here),
        parts_(parts),
        kernels_(kernels) {}

  LuOutcome run() {
    const std::int64_t steps = schedule_.steps();
    if (steps > 0) send_panel(schedule_.step(0));
    for (std::int64_t index = 0; index < steps; ++index) {
      const LuStep step = schedule_.step(index);
      const bool last = index + 1 == steps;
      take_pivots(step);
      LocalView<T> upper = sum_and_solve_rows(step);
      const std::int64_t ahead = last ? 0 : columns_ahead(schedule_.step(index + 1));
      start_rows(step, upper, ahead);
      take_panel(step);
      update(step, upper, {0, ahead}, ahead_comes_);
      if (!last) send_panel(schedule_.step(index + 1));
      update(step, upper, {ahead, upper.columns}, rest_comes_);
    }
    order_rows_of_lower();
    return std::move(outcome_);
  }

 private:
  bool has_layers() const { return schedule_.layers() > 1; }
  bool pivots() const { return method_.pivoting != Pivoting::none; }
  bool in_row(const LuStep& step) const { return here_.row == step.row; }
  bool in_column(const LuStep& step) const { return here_.column == step.column; }
  TravellingPanel<T>& panel(const LuStep& step) { return panels_[step.index % 2]; }
  std::int64_t global_row(std::int64_t local) const {
    const std::int64_t block = schedule_.block();
    return (local / block * schedule_.rows() + here_.row) * block + local % block;
  }
  int grid_row_of(std::int64_t row) const {
    return static_cast<int>(row / schedule_.block() % schedule_.rows());
  }
  std::int64_t local_row(std::int64_t row) const {
    return schedule_.rows_before(grid_row_of(row), row);
  }

  // Step A.

  /// The panel's grid column factorises it, and starts to send it along the grid's rows, where the
  /// others start to receive it.
  void send_panel(const LuStep& step) {
    TravellingPanel<T>& panel = this->panel(step);
    if (in_column(step)) {
      const Stopwatch watch(outcome_.seconds.panel);
      const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.panel);
      factorise_panel(step, panel);
    }
    const Stopwatch watch(outcome_.seconds.multicast);
    const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.multicast);
    const auto width = static_cast<std::size_t>(step.width());
    const std::int64_t depth = schedule_.slice(step, here_.layer).length();
    if (pivots()) {
      panel.pivot_rows.resize(width);
      panel.pivots_come = start_broadcast(grid_.row, panel.pivot_rows, step.column);
    }
    if (in_row(step)) {
      panel.diagonal.resize(width * width);
      panel.diagonal_comes = start_broadcast(grid_.row, panel.diagonal, step.column);
    }
    const LocalView<T> below =
        view_of(panel.below, schedule_.rows_below(step, here_.row).length(), depth);
    if (below.rows > 0 && depth > 0)
      panel.below_comes = start_broadcast(grid_.row, panel.below, step.column);
  }

  void factorise_panel(const LuStep& step, TravellingPanel<T>& panel) {
    const Extent rows = schedule_.panel_piece(step, here_.row, here_.layer);
    const LocalView<T> piece = sum_panel(step, rows);
    LuPanelPiece<T> mine{piece, {}};
    for (std::int64_t row = rows.begin; row < rows.end; ++row) mine.rows.push_back(global_row(row));
    PanelFactors<T> factors = factorise(step, mine);
    if (factors.zero_pivot > 0 && outcome_.zero_pivot == 0)
      outcome_.zero_pivot = step.begin + factors.zero_pivot;
    if (pivots()) exchange_panel_rows(step, rows, piece, factors.pivot_rows);
    deal_panel_to_layers(step, piece, factors, panel);
    panel.pivot_rows = std::move(factors.pivot_rows);
    panel.diagonal = std::move(factors.diagonal);
  }

  PanelFactors<T> factorise(const LuStep& step, const LuPanelPiece<T>& piece) {
    const Communicator& plane = grid_.column_plane;
    if (pivots() && plane.size() == 1) return factorise_panel_alone(piece, kernels_);
    switch (method_.pivoting) {
      case Pivoting::none:
        return factorise_panel_unpivoted(plane, piece, step.row, method_.hermitian, kernels_);
      case Pivoting::tournament: return factorise_panel_by_tournament(plane, piece, kernels_);
      case Pivoting::partial: break;
    }
    return factorise_panel_partially(plane, piece, step.begin, kernels_);
  }

  /// This rank's piece of the panel, all layers' parts summed.
  LocalView<T> sum_panel(const LuStep& step, const Extent& rows) {
    const Extent columns = schedule_.step_columns(step);
    const LocalView<T> sum = view_of(piece_, rows.length(), step.width());
    if (!has_layers()) {
      copy<T>(part(parts_, rows, columns), sum);
      return sum;
    }
    std::vector<std::size_t> counts;
    packed_.clear();
    for (int layer = 0; layer < schedule_.layers(); ++layer) {
      const Extent others = schedule_.panel_piece(step, here_.row, layer);
      counts.push_back(static_cast<std::size_t>(others.length() * step.width()));
      for (std::int64_t j = columns.begin; j < columns.end; ++j) {
        const T* const column = parts_.column(j);
        packed_.insert(packed_.end(), column + others.begin, column + others.end);
      }
    }
    reduce_scatterv(grid_.line, packed_, piece_, counts, Reduction::Kind::sum);
    return sum;
  }

  /// Rows of the diagonal block that did not become pivots go where these came from.
  void exchange_panel_rows(const LuStep& step, const Extent& rows, LocalView<T> piece,
                           std::span<const std::int64_t> pivot_rows) {
    std::vector<RowMove> displaced;
    const Interchange interchange(step.begin, pivot_rows);
    for (const RowMove& move : interchange.moves()) {
      if (move.to >= step.end) displaced.push_back(move);
    }
    const auto owner = [&](std::int64_t row) {
      const int grid_row = grid_row_of(row);
      const std::int64_t local = local_row(row);
      int layer = 0;
      while (local >= schedule_.panel_piece(step, grid_row, layer).end) ++layer;
      return layer * schedule_.rows() + grid_row;
    };
    const auto place = [&](std::int64_t row) { return piece.data + (local_row(row) - rows.begin); };
    exchange_rows<T>(
        grid_.column_plane, displaced, step.width(), owner,
        [&](std::int64_t row) {
          return RowView<const T>{place(row), piece.leading_dimension};
        },
        [&](std::int64_t row) {
          return RowView<T>{place(row), piece.leading_dimension};
        });
  }

  /// Every layer gets its slice of L's columns, for all rows of its grid row; its part of the
  /// matrix has it and zeros beside it, but the diagonal block, which layer 0 keeps.
  void deal_panel_to_layers(const LuStep& step, LocalView<T> piece, const PanelFactors<T>& factors,
                            TravellingPanel<T>& panel) {
    const Extent rows = schedule_.panel_rows(step, here_.row);
    const Extent columns = schedule_.step_columns(step), slice = schedule_.slice(step, here_.layer);
    const LocalView<T> stored = part(parts_, rows, columns);
    if (!has_layers()) {
      copy<T>(piece, stored);
    } else {
      scale(T(0), stored);
      std::vector<std::size_t> send, receive;
      for (int layer = 0; layer < schedule_.layers(); ++layer) {
        send.push_back(
            static_cast<std::size_t>(piece.rows * schedule_.slice(step, layer).length()));
        receive.push_back(static_cast<std::size_t>(
            schedule_.panel_piece(step, here_.row, layer).length() * slice.length()));
      }
      packed_.resize(std::accumulate(receive.begin(), receive.end(), std::size_t{0}));
      alltoallv(grid_.line, piece_, {send}, packed_, {receive});
      const T* next = packed_.data();
      for (int layer = 0; layer < schedule_.layers(); ++layer) {
        const Extent others = schedule_.panel_piece(step, here_.row, layer);
        const LocalView<const T> came{next, others.length(), slice.length(),
                                      std::max<std::int64_t>(others.length(), 1)};
        copy<T>(came, stored.block(others.begin - rows.begin, slice.begin, others.length(),
                                   slice.length()));
        next += others.length() * slice.length();
      }
    }
    if (in_row(step)) {
      const LocalView<T> diagonal = stored.block(0, 0, step.width(), step.width());
      if (here_.layer == 0) {
        copy<T>(factors.block(), diagonal);
      } else {
        scale(T(0), diagonal);
      }
    }
    const Extent below = schedule_.rows_below(step, here_.row);
    const LocalView<T> sent = view_of(panel.below, below.length(), slice.length());
    copy<T>(stored.block(below.begin - rows.begin, slice.begin, sent.rows, sent.columns), sent);
  }

  // Step C, for the block row.

  void take_pivots(const LuStep& step) {
    const Stopwatch watch(outcome_.seconds.multicast);
    const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.multicast);
    TravellingPanel<T>& panel = this->panel(step);
    panel.pivots_come.wait();
    panel.diagonal_comes.wait();
    if (pivots()) {
      interchange_ = Interchange(step.begin, panel.pivot_rows);
    } else {
      std::vector<std::int64_t> as_they_are(static_cast<std::size_t>(step.width()));
      std::iota(as_they_are.begin(), as_they_are.end(), step.begin);
      interchange_ = Interchange(step.begin, as_they_are);
    }
    outcome_.swaps.insert(outcome_.swaps.end(), interchange_.swaps().begin(),
                          interchange_.swaps().end());
  }

  /// Sums the rows that the step exchanges over the layers, exchanges them, and solves for the
  /// block row of U. Returns this layer's slice of it, which only the block row's ranks have yet.
  LocalView<T> sum_and_solve_rows(const LuStep& step) {
    const Stopwatch watch(outcome_.seconds.rows);
    const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.rows);
    const Extent right = schedule_.columns_right(step, here_.column);
    const Extent piece = schedule_.row_piece(step, here_.column, here_.layer);
    const std::int64_t depth = schedule_.slice(step, here_.layer).length();
    sum_rows(right, piece);
    const LocalView<T> solved = view_of(piece_, in_row(step) ? step.width() : 0, piece.length());
    exchange_summed_rows(step, piece, solved);
    const LocalView<T> upper = view_of(upper_, depth, right.length());
    if (!in_row(step)) return upper;
    const std::int64_t width = step.width();
    kernels_.lapack.trsm(MatrixSide::left, Triangle::lower, Op::none,
                         method_.hermitian ? Diagonal::stored : Diagonal::unit, T(1),
                         LocalView<const T>{panel(step).diagonal.data(), width, width, width},
                         solved);
    deal_rows_to_layers(step, solved, upper);
    return upper;
  }

  /// The rows of this rank that the step exchanges, as they are: of all layers the sum, in this
  /// layer's piece of the columns. Its part of the matrix has zeros there then.
  void sum_rows(const Extent& right, const Extent& piece) {
    involved_.clear();
    for (const RowMove& move : interchange_.moves()) {
      if (grid_row_of(move.from) == here_.row) involved_.push_back(move.from);
    }
    std::sort(involved_.begin(), involved_.end());
    const auto count = static_cast<std::int64_t>(involved_.size());
    view_of(summed_, count, piece.length());
    std::vector<T>& mine = has_layers() ? packed_ : summed_;
    const LocalView<T> packed = view_of(mine, count, right.length());
    std::vector<std::int64_t> locals;
    for (const std::int64_t row : involved_) locals.push_back(local_row(row));
    for (std::int64_t j = 0; j < packed.columns; ++j) {
      T* const column = parts_.column(right.begin + j);
      T* next = packed.column(j);
      for (const std::int64_t local : locals) *next++ = column[local];
      if (!has_layers()) continue;
      for (const std::int64_t local : locals) column[local] = T(0);
    }
    if (!has_layers() || packed.rows == 0 || packed.columns == 0) return;
    std::vector<std::size_t> counts;
    for (int layer = 0; layer < schedule_.layers(); ++layer) {
      const std::int64_t begin = right.length() * layer / schedule_.layers();
      const std::int64_t end = right.length() * (layer + 1) / schedule_.layers();
      counts.push_back(static_cast<std::size_t>(count * (end - begin)));
    }
    reduce_scatterv(grid_.line, packed_, summed_, counts, Reduction::Kind::sum);
  }

  void exchange_summed_rows(const LuStep& step, const Extent& piece, LocalView<T> solved) {
    const auto count = static_cast<std::int64_t>(involved_.size());
    const auto source = [&](std::int64_t row) {
      const auto found = std::lower_bound(involved_.begin(), involved_.end(), row);
      return RowView<const T>{summed_.data() + (found - involved_.begin()), count};
    };
    const auto destination = [&](std::int64_t row) {
      if (row < step.end) {
        return RowView<T>{solved.data + (row - step.begin), solved.leading_dimension};
      }
      return RowView<T>{&parts_(local_row(row), piece.begin), parts_.leading_dimension};
    };
    exchange_rows<T>(
        grid_.column, interchange_.moves(), piece.length(),
        [&](std::int64_t row) { return grid_row_of(row); }, source, destination);
  }

  /// Every layer gets its slice of the block row, and its part of the matrix has it.
  void deal_rows_to_layers(const LuStep& step, LocalView<T> solved, LocalView<T> upper) {
    const Extent right = schedule_.columns_right(step, here_.column);
    const Extent slice = schedule_.slice(step, here_.layer);
    if (!has_layers()) {
      copy<T>(solved, upper);
    } else {
      std::vector<std::size_t> send, receive;
      packed_.clear();
      for (int layer = 0; layer < schedule_.layers(); ++layer) {
        const Extent others = schedule_.slice(step, layer);
        send.push_back(static_cast<std::size_t>(others.length() * solved.columns));
        receive.push_back(static_cast<std::size_t>(
            slice.length() * schedule_.row_piece(step, here_.column, layer).length()));
        for (std::int64_t j = 0; j < solved.columns; ++j) {
          const T* const column = solved.column(j);
          packed_.insert(packed_.end(), column + others.begin, column + others.end);
        }
      }
      alltoallv(grid_.line, packed_, {send}, upper_, {receive});
    }
    const Extent rows = schedule_.step_rows(step);
    copy<T>(upper, parts_.block(rows.begin + slice.begin, right.begin, upper.rows, upper.columns));
  }

  // Step B.

  /// How many of the columns right of the panel are the next panel's.
  std::int64_t columns_ahead(const LuStep& next) const {
    return in_column(next) ? next.width() : 0;
  }

  /// The block row starts down the grid's columns, what the next panel needs of it first.
  void start_rows(const LuStep& step, LocalView<T> upper, std::int64_t ahead) {
    const Stopwatch watch(outcome_.seconds.multicast);
    const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.multicast);
    const std::int64_t rest = upper.columns - ahead;
    const auto start = [&](std::int64_t column, std::int64_t columns) {
      if (upper.rows == 0 || columns == 0) return Request();
      return start_broadcast(
          grid_.column,
          std::span(upper.column(column), static_cast<std::size_t>(upper.rows * columns)),
          step.row);
    };
    ahead_comes_ = start(0, ahead);
    rest_comes_ = start(ahead, rest);
  }

  void take_panel(const LuStep& step) {
    const Stopwatch watch(outcome_.seconds.multicast);
    const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.multicast);
    panel(step).below_comes.wait();
  }

  /// Subtracts L·U from some of the columns right of the panel, once `upper` has come there.
  void update(const LuStep& step, LocalView<T> upper, const Extent& columns, Request& upper_comes) {
    {
      const Stopwatch watch(outcome_.seconds.multicast);
      const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.multicast);
      upper_comes.wait();
    }
    const Extent below = schedule_.rows_below(step, here_.row);
    if (below.length() == 0 || columns.length() == 0 || upper.rows == 0) return;
    const Stopwatch watch(outcome_.seconds.update);
    const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.multicast);
    const std::int64_t right = schedule_.columns_right(step, here_.column).begin;
    const Panel<T> lower_panel{panel(step).below.data(), below.length()};
    const Panel<T> upper_panel{upper.column(columns.begin), upper.leading_dimension};
    TravellingPanel<T>& next = panels_[(step.index + 1) % 2];
    slabbed_gemm(T(-1), lower_panel, upper_panel, upper.rows, T(1),
                 part(parts_, below, {right + columns.begin, right + columns.end}), kernels_.gemm,
                 [&] { return next.in_flight() || !rest_comes_.test(); });
  }

  /// What later steps exchange, exchanged in the columns of L before, all at once.
  void order_rows_of_lower() {
    if (!pivots()) return;
    const Stopwatch watch(outcome_.seconds.interchange);
    const CountedTraffic counted(grid_, sizeof(T), outcome_.traffic.interchange);
    apply_later_interchanges(grid_, schedule_, outcome_.swaps, parts_);
  }

  const LuGrid& grid_;
  const LuSchedule& schedule_;
  const LuMethod& method_;
  const LayeredPosition here_;
  const LocalView<T> parts_;
  const LocalKernels& kernels_;
  LuOutcome outcome_;

  Interchange interchange_;
  std::vector<std::int64_t> involved_;
  std::vector<T> piece_, packed_, summed_, upper_;
  std::array<TravellingPanel<T>, 2> panels_;
  Request ahead_comes_, rest_comes_;
};

}  // namespace

template <MatrixElement T>
LuOutcome factorise_in_layers(const LuGrid& grid, const LuSchedule& schedule,
                              const LuMethod& method, LocalView<T> parts,
                              const LocalKernels& kernels) {
  return LayeredLu<T>(grid, schedule, method, parts, kernels).run();
}

#define CUBOID_FOR(T)                                                                       \
  template LuOutcome factorise_in_layers(const LuGrid&, const LuSchedule&, const LuMethod&, \
                                         LocalView<T>, const LocalKernels&);
CUBOID_FOR(float)
CUBOID_FOR(double)
CUBOID_FOR(std::complex<float>)
CUBOID_FOR(std::complex<double>)
#undef CUBOID_FOR

}  // namespace cuboid::detail
