#include "mm/bricks/brick_multiplication.hpp"

#include <cuboid/error.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/layout/no_part.hpp"
#include "mm/matrix/local_copy.hpp"

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

void check(const BrickGrid& grid, int rounds, const ProductLayouts& product) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "multiplication in bricks: " + message);
  };
  if (grid.size() != product.size())
    reject("the grid was made for another product: make one for this product");
  if (rounds < 1) reject(fmt::format("{} rounds: give at least 1", rounds));
}

}  // namespace

template <MatrixElement T>
LocalView<const T> BrickMultiplication<T>::Part::block(std::int64_t i, std::int64_t j,
                                                       std::int64_t rows,
                                                       std::int64_t columns) const {
  return op == Op::none ? stored.block(i, j, rows, columns) : stored.block(j, i, columns, rows);
}

template <MatrixElement T>
Panel<T> BrickMultiplication<T>::Part::panel(std::int64_t i, std::int64_t j, std::int64_t rows,
                                             std::int64_t columns) const {
  const LocalView<const T> view = block(i, j, rows, columns);
  return {view.data, view.leading_dimension, op};
}

template <MatrixElement T>
BrickMultiplication<T>::BrickMultiplication(const Communicator& communicator, const BrickGrid& grid,
                                            int rounds, const ProductLayouts& product,
                                            Sidedness sides)
    : MultiplicationDriver<T>(communicator, grid.ranks(), product, OwnOperands::applied),
      communicator_(communicator),
      grid_(grid),
      sides_(sides) {
  check(grid, rounds, product);
  if (const auto at = grid.position(communicator.rank())) brick_ = grid.brick(*at);
  splits_ = split_communicators(communicator, grid);
  collective_try(communicator, [&] {
    this->own().make(communicator, {grid.a_layout(), grid.b_layout(), grid.c_layout()});
    if (brick_) {
      cut_rounds(rounds);
      make_gathers_and_sums();
    }
  });
  if (sides_ == Sidedness::one_sided) make_fetches();
}

template <MatrixElement T>
void BrickMultiplication<T>::cut_rounds(int rounds) {
  const int shares = grid_.parts(WorkAxis::columns);
  const int layer = grid_.position(communicator_.rank())->layer;
  const BlockCyclic<Inner> inner = grid_.a_inner();
  rounds_.resize(static_cast<std::size_t>(rounds));
  std::int64_t begin = 0;
  // Chunks that are longer by one are distributed from share to share, so that no round has many.
  std::int64_t next_longer = 0;
  for (int share = 0; share < shares; ++share) {
    const std::int64_t extent = inner.local_extent(layer * shares + share);
    const std::int64_t longer = extent % rounds;
    for (int round = 0; round < rounds; ++round) {
      const bool is_longer = (round - next_longer + rounds) % rounds < longer;
      const std::int64_t length = extent / rounds + (is_longer ? 1 : 0);
      rounds_[static_cast<std::size_t>(round)].push_back({begin, length});
      begin += length;
    }
    next_longer = (next_longer + longer) % rounds;
  }
}

template <MatrixElement T>
std::vector<FaceRound> BrickMultiplication<T>::a_rounds() const {
  std::vector<FaceRound> result;
  for (const Round& round : rounds_) {
    result.push_back({brick_->rows.extent(), {}});
    for (const Chunk& chunk : round) result.back().columns.push_back(chunk.extent);
  }
  return result;
}

template <MatrixElement T>
std::vector<FaceRound> BrickMultiplication<T>::b_rounds() const {
  const int shares = grid_.parts(WorkAxis::rows);
  const int column = grid_.position(communicator_.rank())->column;
  std::vector<FaceRound> result;
  for (const Round& round : rounds_) {
    result.push_back({0, {}});
    for (const Chunk& chunk : round) result.back().rows += chunk.extent;
    for (int share = 0; share < shares; ++share) {
      result.back().columns.push_back(grid_.b_columns().local_extent(column * shares + share));
    }
  }
  return result;
}

template <MatrixElement T>
bool BrickMultiplication<T>::b_comes_in_chunks() const {
  return grid_.parts(WorkAxis::columns) > 1 && rounds_.size() > 1;
}

template <MatrixElement T>
void BrickMultiplication<T>::make_gathers_and_sums() {
  const int rank = communicator_.rank();
  const auto stages = [&](WorkAxis across) { return stages_across(grid_, rank, across, splits_); };
  const auto gather = [&](WorkAxis across, std::vector<FaceRound> rounds) {
    return std::make_unique<FaceGather<T>>(stages(across), grid_.share(rank, across),
                                           std::move(rounds));
  };
  const bool fetched = sides_ == Sidedness::one_sided;
  if (grid_.parts(WorkAxis::columns) > 1 && !fetched) {
    exchange_a_ = gather(WorkAxis::columns, a_rounds());
  }
  // B's rows of a round are those of A's shares. Where these are no single run, a panel must be put
  // together even when no other rank has a part of it.
  const bool shared = grid_.parts(WorkAxis::rows) > 1;
  if (shared ? !fetched : b_comes_in_chunks()) exchange_b_ = gather(WorkAxis::rows, b_rounds());
  if (const int layers = grid_.parts(WorkAxis::inner); layers > 1) {
    FaceRound face{brick_->rows.extent(), {}};
    const int column = grid_.position(rank)->column;
    for (int share = 0; share < layers; ++share) {
      face.columns.push_back(grid_.c_columns().local_extent(column * layers + share));
    }
    sum_c_.emplace(stages(WorkAxis::inner), grid_.share(rank, WorkAxis::inner), std::move(face));
  }
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
    fetch(exchange_a_, ranks, [&] { return a_rounds(); });
  }
  if (grid_.parts(WorkAxis::rows) > 1) {
    const Communicator ranks = sharers(WorkAxis::rows, at ? at->column * layers + at->layer : 0);
    fetch(exchange_b_, ranks, [&] { return b_rounds(); });
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::fill_a(std::size_t round, const Part& a) {
  const auto share = static_cast<std::size_t>(grid_.share(communicator_.rank(), WorkAxis::columns));
  const std::int64_t share_begin = rounds_.front()[share].begin;
  const LocalView<T> place = exchange_a_->own(round);
  copy(a.op, a.block(0, rounds_[round][share].begin - share_begin, place.rows, place.columns),
       place);
}

template <MatrixElement T>
void BrickMultiplication<T>::fill_b(std::size_t round, const Part& b) {
  const LocalView<T> place = exchange_b_->own(round);
  std::int64_t row = 0;
  for (const Chunk& chunk : rounds_[round]) {
    copy(b.op, b.block(chunk.begin, 0, chunk.extent, place.columns),
         place.block(row, 0, chunk.extent, place.columns));
    row += chunk.extent;
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::open(const Part& a, const Part& b) {
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    if (exchange_a_ && exchange_a_->takes_all_rounds_first()) fill_a(round, a);
    if (exchange_b_ && exchange_b_->takes_all_rounds_first()) fill_b(round, b);
  }
  if (exchange_a_) exchange_a_->open();
  if (exchange_b_) exchange_b_->open();
}

template <MatrixElement T>
void BrickMultiplication<T>::start_round(std::size_t round, const Part& a, const Part& b) {
  if (exchange_a_) {
    if (!exchange_a_->takes_all_rounds_first()) fill_a(round, a);
    exchange_a_->start(round);
  }
  if (exchange_b_) {
    if (!exchange_b_->takes_all_rounds_first()) fill_b(round, b);
    exchange_b_->start(round);
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::finish_round(std::size_t round, const Part& a, const Part& b) {
  const Round& chunks = rounds_[round];
  const auto place = [](std::vector<Placed>& panels, FaceExchange<T>& exchange) {
    panels.clear();
    for (const FacePiece<T>& piece : exchange.finish()) {
      if (piece.columns.columns == 0) continue;
      panels.push_back({piece.first_column,
                        piece.columns.columns,
                        {piece.columns.data, piece.columns.leading_dimension, Op::none}});
    }
  };
  if (exchange_a_) {
    place(a_panels_, *exchange_a_);
  } else {
    const Chunk& chunk = chunks.front();
    a_panels_ = {{0, chunk.extent, a.panel(0, chunk.begin, brick_->rows.extent(), chunk.extent)}};
  }
  if (exchange_b_) {
    place(b_panels_, *exchange_b_);
  } else {
    const std::int64_t begin = chunks.front().begin;
    const std::int64_t rows = chunks.back().begin + chunks.back().extent - begin;
    const std::int64_t columns = brick_->columns.extent();
    b_panels_ = {{0, columns, b.panel(begin, 0, rows, columns)}};
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::multiply_round(T alpha, T beta, LocalView<T> C,
                                            const LocalGemm& gemm) {
  const auto progress = [&] {
    const bool a_travels = exchange_a_ && exchange_a_->progress();
    const bool b_travels = exchange_b_ && exchange_b_->progress();
    return a_travels || b_travels;
  };
  if (a_panels_.empty()) scale(beta, C);  // a round without inner indices
  for (const Placed& a : a_panels_) {
    const bool first = &a == &a_panels_.front();
    for (const Placed& b : b_panels_) {
      const Panel<T> rows_of_b{b.panel.from(a.first, 0), b.panel.leading_dimension, b.panel.op};
      gemm_in_strips(alpha, a.panel, rows_of_b, a.extent, first ? beta : T(1),
                     C.block(0, b.first, C.rows, b.extent), gemm, progress);
    }
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                      PhaseSeconds& seconds) {
  if (!brick_) return;
  const Part a{input.A.local(), input.op_a}, b{input.B.local(), input.op_b};
  const LocalView<T> C = input.C.local();
  const LocalView<T> target = sum_c_ ? sum_c_->contribution() : C;
  const T first_beta = sum_c_ ? T(0) : input.beta;
  {
    const Stopwatch watch(seconds.broadcast);
    open(a, b);
    start_round(0, a, b);
  }
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    {
      const Stopwatch watch(seconds.broadcast);
      finish_round(round, a, b);
      if (round + 1 < rounds_.size()) start_round(round + 1, a, b);
    }
    const Stopwatch watch(seconds.gemm);
    multiply_round(input.alpha, round == 0 ? first_beta : T(1), target, gemm);
  }
  const Stopwatch watch(seconds.broadcast);
  if (exchange_a_) exchange_a_->close();
  if (exchange_b_) exchange_b_->close();
  if (sum_c_) add(sum_c_->sum(), input.beta, C);
}

template class BrickMultiplication<float>;
template class BrickMultiplication<double>;
template class BrickMultiplication<std::complex<float>>;
template class BrickMultiplication<std::complex<double>>;

}  // namespace cuboid::detail
