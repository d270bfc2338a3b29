#include "mm/drivers/bricks/brick_multiplication.hpp"

#include <cuboid/error.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/drivers/bricks/face_fetch.hpp"
#include "mm/drivers/bricks/face_gather.hpp"
#include "mm/drivers/bricks/split_stages.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/no_part.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// C ← β·C + sum.
template <MatrixElement T>
void add(LocalView<const T> sum, T beta, LocalView<T> C) {
  if (beta == T(0)) {
    copy(sum, C);
    return;
  }
  for (std::int64_t j = 0; j < C.columns; ++j) {
    T* const column = C.column(j);
    const T* const summand = sum.column(j);
    for (std::int64_t i = 0; i < C.rows; ++i) column[i] = beta * column[i] + summand[i];
  }
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
      sides_(sides) {
  check(grid, steps, product);
  if (grid.position(communicator.rank())) schedule_.emplace(grid, communicator.rank(), steps);
  splits_ = split_communicators(communicator, grid);
  collective_try(communicator, [&] {
    this->own().make(communicator, {grid.a_layout(), grid.b_layout(), grid.c_layout()});
    if (schedule_) make_gathers_and_sums();
  });
  if (sides_ == Sidedness::one_sided) make_fetches();
}

template <MatrixElement T>
void BrickMultiplication<T>::make_gathers_and_sums() {
  const auto stages = [&](WorkAxis across) {
    return stages_across(grid_, communicator_.rank(), across, splits_);
  };
  const bool fetched = sides_ == Sidedness::one_sided;
  if (grid_.parts(WorkAxis::columns) > 1 && !fetched) {
    exchange_a_ = std::make_unique<FaceGather<T>>(stages(WorkAxis::columns), schedule_->a_share(),
                                                  schedule_->a_rounds());
  }
  const bool shared = grid_.parts(WorkAxis::rows) > 1;
  if (shared ? !fetched : schedule_->b_comes_in_pieces()) {
    exchange_b_ = std::make_unique<FaceGather<T>>(stages(WorkAxis::rows), schedule_->b_share(),
                                                  schedule_->b_rounds());
  }
  if (grid_.parts(WorkAxis::inner) > 1)
    sum_c_.emplace(stages(WorkAxis::inner), schedule_->c_share(), schedule_->c_tiles());
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
    fetch(exchange_a_, ranks, [&] { return schedule_->a_rounds(); });
  }
  if (grid_.parts(WorkAxis::rows) > 1) {
    const Communicator ranks = sharers(WorkAxis::rows, at ? at->column * layers + at->layer : 0);
    fetch(exchange_b_, ranks, [&] { return schedule_->b_rounds(); });
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::fill_a(std::size_t step, const OperandPart& a) {
  const BrickChunk& inner = schedule_->inner(step)[schedule_->a_share()];
  const LocalView<T> place = exchange_a_->own(step);
  copy(a.op,
       a.block(schedule_->rows(step).begin, inner.begin - schedule_->a_begin(), place.rows,
               place.columns),
       place);
}

template <MatrixElement T>
void BrickMultiplication<T>::fill_b(std::size_t step, const OperandPart& b) {
  const LocalView<T> place = exchange_b_->own(step);
  std::int64_t column = 0;
  for (const BrickChunk& columns : schedule_->own_b_columns(step)) {
    std::int64_t row = 0;
    for (const BrickChunk& inner : schedule_->inner(step)) {
      copy(b.op,
           b.block(inner.begin, columns.begin - schedule_->b_begin(), inner.extent, columns.extent),
           place.block(row, column, inner.extent, columns.extent));
      row += inner.extent;
    }
    column += columns.extent;
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::open(const OperandPart& a, const OperandPart& b) {
  for (std::size_t step = 0; step < schedule_->steps(); ++step) {
    const bool a_first = schedule_->column_tile(step) == 0,
               b_first = schedule_->row_tile(step) == 0;
    if (exchange_a_ && exchange_a_->takes_all_rounds_first() && a_first) fill_a(step, a);
    if (exchange_b_ && exchange_b_->takes_all_rounds_first() && b_first) fill_b(step, b);
  }
  if (exchange_a_) exchange_a_->open();
  if (exchange_b_) exchange_b_->open();
}

template <MatrixElement T>
void BrickMultiplication<T>::start_step(std::size_t step, const OperandPart& a,
                                        const OperandPart& b) {
  if (exchange_a_) {
    if (!exchange_a_->takes_all_rounds_first()) fill_a(step, a);
    exchange_a_->start(step);
  }
  if (exchange_b_) {
    if (!exchange_b_->takes_all_rounds_first()) fill_b(step, b);
    exchange_b_->start(step);
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::finish_step(std::size_t step, const OperandPart& a,
                                         const OperandPart& b) {
  const auto place = [](std::vector<Placed>& panels, FaceExchange<T>& exchange) {
    panels.clear();
    for (const FacePiece<T>& piece : exchange.finish()) {
      if (piece.columns.columns == 0) continue;
      panels.push_back({piece.first_column,
                        piece.columns.columns,
                        {piece.columns.data, piece.columns.leading_dimension, Op::none}});
    }
  };
  const BrickChunk& rows = schedule_->rows(step);
  const Chunks& inner = schedule_->inner(step);
  if (exchange_a_) {
    place(a_panels_, *exchange_a_);
  } else {
    const BrickChunk& chunk = inner.front();
    a_panels_ = {{0, chunk.extent, a.panel(rows.begin, chunk.begin, rows.extent, chunk.extent)}};
  }
  if (exchange_b_) {
    place(b_panels_, *exchange_b_);
  } else {
    const std::int64_t row = inner.front().begin, column = schedule_->columns(step).front().begin;
    const std::int64_t columns = extent_of(schedule_->columns(step));
    b_panels_ = {{0, columns, b.panel(row, column, extent_of(inner), columns)}};
  }
}

template <MatrixElement T>
bool BrickMultiplication<T>::progress() {
  const bool a_travels = exchange_a_ && exchange_a_->progress();
  const bool b_travels = exchange_b_ && exchange_b_->progress();
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
void BrickMultiplication<T>::multiply_step(T alpha, T beta, LocalView<T> C, SumOfPanels<T>& sum) {
  if (a_panels_.empty()) sum.add_nothing(beta, C);  // a round without inner indices
  for (const Placed& a : a_panels_) {
    const bool first = &a == &a_panels_.front();
    for (const Placed& b : b_panels_) {
      const Panel<T> rows_of_b{b.panel.from(a.first, 0), b.panel.leading_dimension, b.panel.op};
      sum.add(alpha, a.panel, rows_of_b, a.extent, first ? beta : T(1),
              C.block(0, b.first, C.rows, b.extent), [this] { return progress(); });
    }
  }
}

/// The memory in which a step's products are summed: separate memory if other ranks add their
/// products, else C.
template <MatrixElement T>
LocalView<T> BrickMultiplication<T>::target(std::size_t step, LocalView<T> C) const {
  if (sum_c_) return sum_c_->contribution(schedule_->tile(step));
  const BrickChunk &rows = schedule_->rows(step), &columns = schedule_->columns(step).front();
  return C.block(rows.begin, columns.begin, rows.extent, columns.extent);
}

template <MatrixElement T>
void BrickMultiplication<T>::sum_tile(std::size_t step, T beta, LocalView<T> C) {
  const BrickChunk& rows = schedule_->rows(step);
  const BrickChunk& columns = schedule_->columns(step)[schedule_->c_share()];
  add(sum_c_->sum(schedule_->tile(step)), beta,
      C.block(rows.begin, columns.begin - schedule_->c_begin(), rows.extent, columns.extent));
}

template <MatrixElement T>
void BrickMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                      PhaseSeconds& seconds) {
  if (!schedule_) return;
  const OperandPart a{input.A.local(), input.op_a}, b{input.B.local(), input.op_b};
  const LocalView<T> C = input.C.local();
  const T first_beta = sum_c_ ? T(0) : input.beta;
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
      multiply_step(input.alpha, beta, tile, *sum);
      if (schedule_->ends_tile(step)) sum->finish([this] { return progress(); });
    }
    const Stopwatch watch(seconds.broadcast);
    if (sum_c_ && schedule_->ends_tile(step)) sum_tile(step, input.beta, C);
  }
  const Stopwatch watch(seconds.broadcast);
  if (exchange_a_) exchange_a_->close();
  if (exchange_b_) exchange_b_->close();
}

template class BrickMultiplication<float>;
template class BrickMultiplication<double>;
template class BrickMultiplication<std::complex<float>>;
template class BrickMultiplication<std::complex<double>>;

}  // namespace cuboid::detail
