#include "mm/drivers/bricks/brick_multiplication.hpp"

#include <cuboid/error.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/drivers/bricks/face_fetch.hpp"
#include "mm/drivers/bricks/face_gather.hpp"
#include "mm/drivers/bricks/split_stages.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

template <class T>
Panel<T> transposed(const Panel<T>& panel) {
  return {panel.data, panel.leading_dimension, panel.op == Op::none ? Op::transpose : Op::none};
}

/// to = op(part), or its transpose.
template <MatrixElement T>
void fill(const LocalView<const T>& part, Op op, bool turned, LocalView<T> to,
          const PanelPlace& place) {
  if (!turned) return place.copy(op, part, to);
  place.copy(op == Op::none ? Op::transpose : Op::none, part, to);
  if (op != Op::conjugate_transpose) return;
  const HostBlock<T> conjugated(to);
  conjugated.fetch();
  const LocalView<T>& values = conjugated.get();
  for (std::int64_t j = 0; j < to.columns; ++j) {
    for (std::int64_t i = 0; i < to.rows; ++i) values(i, j) = conjugate(values(i, j));
  }
  conjugated.give_back();
}

void check(const BrickGrid& grid, const BrickSteps& steps, const ProductLayouts& product) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "multiplication in bricks: " + message);
  };
  if (grid.size() != product.size())
    reject("the grid was made for another product: make one for this product");
  const auto [rounds, row_tiles, column_tiles] = steps;
  if (rounds < 1) reject(fmt::format("{} rounds: give at least 1", rounds));
  if (row_tiles < 1 || column_tiles < 1)
    reject(fmt::format("{}x{} tiles: give at least 1 of each", row_tiles, column_tiles));
}

}  // namespace

template <MatrixElement T>
LocalView<const T> BrickMultiplication<T>::OperandPart::block(std::int64_t i, std::int64_t j,
                                                              std::int64_t rows,
                                                              std::int64_t columns) const {
  return op == Op::none ? stored.block(i, j, rows, columns) : stored.block(j, i, columns, rows);
}

template <MatrixElement T>
Panel<T> BrickMultiplication<T>::OperandPart::panel(std::int64_t i, std::int64_t j,
                                                    std::int64_t rows, std::int64_t columns) const {
  const LocalView<const T> view = block(i, j, rows, columns);
  return {view.data, view.leading_dimension, op};
}

template <MatrixElement T>
BrickMultiplication<T>::BrickMultiplication(const Communicator& communicator, const BrickGrid& grid,
                                            const BrickSteps& steps, const ProductLayouts& product,
                                            Sidedness sides)
    : MultiplicationDriver<T>(communicator, grid.ranks(), product, OwnOperands::applied),
      communicator_(communicator),
      grid_(grid),
      sides_(sides),
      op_a_(product.op_a),
      op_b_(product.op_b) {
  check(grid, steps, product);
  if (grid.position(communicator.rank())) schedule_.emplace(grid, communicator.rank(), steps);
  splits_ = split_communicators(communicator, grid);
  collective_try(communicator, [&] {
    this->own().make(communicator, {grid.a_layout(), grid.b_layout(), grid.c_layout()});
    if (schedule_) exchanges_ = gathers_and_sums(PanelPlace());
  });
  if (sides_ == Sidedness::one_sided) make_fetches();
}

template <MatrixElement T>
typename BrickMultiplication<T>::Exchanges BrickMultiplication<T>::gathers_and_sums(
    const PanelPlace& place) const {
  const auto stages = [&](WorkAxis across) {
    return stages_across(grid_, communicator_.rank(), across, splits_);
  };
  const bool fetched = sides_ == Sidedness::one_sided;
  const bool in_layers = grid_.parts(WorkAxis::inner) > 1;
  // Operands are read in the transpose as well if layers sum Cᵀ. BLAS does not conjugate without
  // transposing, so a copy is made then.
  const auto is_copied = [&](Op op) {
    return in_layers && schedule_->c_in_rows() && op == Op::conjugate_transpose;
  };
  Exchanges exchanges;
  if (grid_.parts(WorkAxis::columns) > 1 ? !fetched : is_copied(op_a_)) {
    exchanges.a = std::make_unique<FaceGather<T>>(stages(WorkAxis::columns), schedule_->a_share(),
                                                  schedule_->a_rounds(), place);
  }
  if (grid_.parts(WorkAxis::rows) > 1 ? !fetched
                                      : schedule_->b_comes_in_pieces() || is_copied(op_b_)) {
    exchanges.b = std::make_unique<FaceGather<T>>(stages(WorkAxis::rows), schedule_->b_share(),
                                                  schedule_->b_rounds(), place);
  }
  if (in_layers) {
    exchanges.c.emplace(stages(WorkAxis::inner), schedule_->c_share(), schedule_->c_tiles(), place);
  }
  return exchanges;
}

template <MatrixElement T>
bool BrickMultiplication<T>::make_panels_at(const PanelPlace& place) {
  if (sides_ == Sidedness::one_sided) return !place.on_device();
  if (schedule_) exchanges_ = gathers_and_sums(place);
  return true;
}

template <MatrixElement T>
void BrickMultiplication<T>::make_fetches() {
  const auto at = grid_.position(communicator_.rank());
  const auto sharers = [&](WorkAxis across, int face) {
    return communicator_.split(at ? face : no_part,
                               at ? grid_.share(communicator_.rank(), across) : 0);
  };
  const auto fetch = [&](auto& exchange, const Communicator& ranks, const auto& rounds) {
    collective_try(communicator_, [&] {
      if (at) exchange = std::make_unique<FaceFetch<T>>(ranks, rounds());
    });
  };
  const int layers = grid_.parts(WorkAxis::inner);
  if (grid_.parts(WorkAxis::columns) > 1) {
    const Communicator ranks = sharers(WorkAxis::columns, at ? at->row * layers + at->layer : 0);
    fetch(exchanges_.a, ranks, [&] { return schedule_->a_rounds(); });
  }
  if (grid_.parts(WorkAxis::rows) > 1) {
    const Communicator ranks = sharers(WorkAxis::rows, at ? at->column * layers + at->layer : 0);
    fetch(exchanges_.b, ranks, [&] { return schedule_->b_rounds(); });
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::OperandPart::fill(const BrickSchedule::OwnPart& part, bool turned,
                                               LocalView<T> panel, const PanelPlace& place) const {
  std::int64_t column = 0;
  for (const BrickChunk& columns : part.columns) {
    std::int64_t row = 0;
    for (const BrickChunk& rows : part.rows) {
      const LocalView<T> to = turned ? panel.block(column, row, columns.extent, rows.extent)
                                     : panel.block(row, column, rows.extent, columns.extent);
      detail::fill<T>(block(rows.begin, columns.begin, rows.extent, columns.extent), op, turned, to,
                      place);
      row += rows.extent;
    }
    column += columns.extent;
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::fill_a(std::size_t step, const OperandPart& a) {
  a.fill(schedule_->own_a(step), schedule_->a_in_rows(), exchanges_.a->own(step),
         this->panel_place());
}

template <MatrixElement T>
void BrickMultiplication<T>::fill_b(std::size_t step, const OperandPart& b) {
  b.fill(schedule_->own_b(step), schedule_->b_in_rows(), exchanges_.b->own(step),
         this->panel_place());
}

template <MatrixElement T>
void BrickMultiplication<T>::open(const OperandPart& a, const OperandPart& b) {
  for (std::size_t step = 0; step < schedule_->steps(); ++step) {
    const bool a_first = schedule_->column_tile(step) == 0,
               b_first = schedule_->row_tile(step) == 0;
    if (exchanges_.a && exchanges_.a->takes_all_rounds_first() && a_first) fill_a(step, a);
    if (exchanges_.b && exchanges_.b->takes_all_rounds_first() && b_first) fill_b(step, b);
  }
  if (exchanges_.a) exchanges_.a->open();
  if (exchanges_.b) exchanges_.b->open();
}

template <MatrixElement T>
void BrickMultiplication<T>::start_step(std::size_t step, const OperandPart& a,
                                        const OperandPart& b) {
  if (exchanges_.a) {
    if (!exchanges_.a->takes_all_rounds_first()) fill_a(step, a);
    exchanges_.a->start(step);
  }
  if (exchanges_.b) {
    if (!exchanges_.b->takes_all_rounds_first()) fill_b(step, b);
    exchanges_.b->start(step);
  }
}

/// An operand that does not travel, in as few panels as the step's indices allow.
template <MatrixElement T>
void BrickMultiplication<T>::place(const OperandPart& operand, const BrickSchedule::OwnPart& part,
                                   WorkAxis outer, std::vector<Placed>& panels) {
  panels.clear();
  BrickChunk rows;
  for (const BrickChunk& row : part.rows) {
    rows = {rows.end(), row.extent};
    BrickChunk columns;
    for (const BrickChunk& column : part.columns) {
      columns = {columns.end(), column.extent};
      const Panel<T> panel = operand.panel(row.begin, column.begin, row.extent, column.extent);
      panels.push_back(outer == WorkAxis::rows ? Placed{rows, columns, panel}
                                               : Placed{columns, rows, panel});
    }
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::finish_step(std::size_t step, const OperandPart& a,
                                         const OperandPart& b) {
  /// @param turned  true if the face is transposed.
  /// @param cuts_inner  true if pieces have some of the inner indices and not of the others.
  const auto take = [](std::vector<Placed>& panels, FaceExchange<T>& exchange, bool turned,
                       bool cuts_inner) {
    panels.clear();
    for (const FacePiece<T>& piece : exchange.finish()) {
      const LocalView<const T>& view = piece.columns;
      if (view.columns == 0) continue;
      const BrickChunk some{piece.first_column, view.columns}, all{0, view.rows};
      panels.push_back({cuts_inner ? all : some,
                        cuts_inner ? some : all,
                        {view.data, view.leading_dimension, turned ? Op::transpose : Op::none}});
    }
  };
  if (exchanges_.a) {
    take(a_panels_, *exchanges_.a, schedule_->a_in_rows(), !schedule_->a_in_rows());
  } else {
    place(a, schedule_->own_a(step), WorkAxis::rows, a_panels_);
  }
  if (exchanges_.b) {
    take(b_panels_, *exchanges_.b, schedule_->b_in_rows(), schedule_->b_in_rows());
  } else {
    place(b, schedule_->own_b(step), WorkAxis::columns, b_panels_);
  }
}

template <MatrixElement T>
bool BrickMultiplication<T>::progress() {
  const bool a_travels = exchanges_.a && exchanges_.a->progress();
  const bool b_travels = exchanges_.b && exchanges_.b->progress();
  return a_travels || b_travels;
}

/// The sum of all rounds of a tile of C.
template <MatrixElement T>
SumOfPanels<T> BrickMultiplication<T>::sum_of_tile(T beta, LocalView<T> C,
                                                   const LocalGemm& gemm) const {
  std::int64_t inner = 0, widest = 0;
  for (std::size_t round = 0;; ++round) {
    const std::int64_t extent = extent_of(schedule_->inner(round));
    inner += extent;
    widest = std::max(widest, extent);
    if (schedule_->ends_tile(round)) break;
  }
  return {gemm, C, inner, widest, beta};
}

template <MatrixElement T>
void BrickMultiplication<T>::multiply_step(std::size_t step, T alpha, T beta, LocalView<T> C,
                                           SumOfPanels<T>& sum) {
  if (extent_of(schedule_->inner(step)) == 0) return sum.add_nothing(beta, C);
  const bool turned = exchanges_.c && schedule_->c_in_rows();
  for (const Placed& a : a_panels_) {
    for (const Placed& b : b_panels_) {
      const std::int64_t begin = std::max(a.inner.begin, b.inner.begin);
      const std::int64_t width = std::min(a.inner.end(), b.inner.end()) - begin;
      if (width <= 0) continue;
      const Panel<T> left{a.panel.from(0, begin - a.inner.begin), a.panel.leading_dimension,
                          a.panel.op};
      const Panel<T> right{b.panel.from(begin - b.inner.begin, 0), b.panel.leading_dimension,
                           b.panel.op};
      const T factor = begin == 0 ? beta : T(1);
      const auto travels = [this] { return progress(); };
      if (turned) {
        sum.add(alpha, transposed(right), transposed(left), width, factor,
                C.block(b.outer.begin, a.outer.begin, b.outer.extent, a.outer.extent), travels);
      } else {
        sum.add(alpha, left, right, width, factor,
                C.block(a.outer.begin, b.outer.begin, a.outer.extent, b.outer.extent), travels);
      }
    }
  }
}

/// The memory in which a step's products are summed: separate memory if other ranks add their
/// products, else C.
template <MatrixElement T>
LocalView<T> BrickMultiplication<T>::target(std::size_t step, LocalView<T> C) const {
  if (exchanges_.c) return exchanges_.c->contribution(schedule_->tile(step));
  const Chunks &rows = schedule_->rows(step), &columns = schedule_->columns(step);
  return C.block(rows.front().begin, columns.front().begin, extent_of(rows), extent_of(columns));
}

template <MatrixElement T>
void BrickMultiplication<T>::sum_tile(std::size_t step, T beta, LocalView<T> C) {
  const LocalView<const T> sum = exchanges_.c->sum(schedule_->tile(step));
  const BrickSchedule::OwnPart& part = schedule_->own_c(step);
  if (part.rows.empty() || part.columns.empty()) return;
  const BrickChunk &rows = part.rows.front(), &columns = part.columns.front();
  this->panel_place().add(T(1), schedule_->c_in_rows() ? Op::transpose : Op::none, sum, beta,
                          C.block(rows.begin, columns.begin, rows.extent, columns.extent));
}

template <MatrixElement T>
void BrickMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                      PhaseSeconds& seconds) {
  if (!schedule_) return;
  const OperandPart a{input.A.local(), input.op_a}, b{input.B.local(), input.op_b};
  const LocalView<T> C = input.C.local();
  const T first_beta = exchanges_.c ? T(0) : input.beta;
  {
    const Stopwatch watch(seconds.broadcast);
    open(a, b);
    start_step(0, a, b);
  }
  std::optional<SumOfPanels<T>> sum;
  for (std::size_t step = 0; step < schedule_->steps(); ++step) {
    {
      const Stopwatch watch(seconds.broadcast);
      finish_step(step, a, b);
      if (step + 1 < schedule_->steps()) start_step(step + 1, a, b);
    }
    {
      const Stopwatch watch(seconds.gemm);
      const LocalView<T> tile = target(step, C);
      const T beta = schedule_->round(step) == 0 ? first_beta : T(1);
      if (schedule_->round(step) == 0) sum.emplace(sum_of_tile(beta, tile, gemm));
      multiply_step(step, input.alpha, beta, tile, *sum);
      if (schedule_->ends_tile(step)) sum->finish([this] { return progress(); });
    }
    const Stopwatch watch(seconds.broadcast);
    if (exchanges_.c && schedule_->ends_tile(step)) sum_tile(step, input.beta, C);
  }
  const Stopwatch watch(seconds.broadcast);
  if (exchanges_.a) exchanges_.a->close();
  if (exchanges_.b) exchanges_.b->close();
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(BrickMultiplication);

}  // namespace cuboid::detail
