#include <cuboid/base/error.hpp>
#include <cuboid/mm/agreed.hpp>
#include <cuboid/mm/brick_multiplication.hpp>
#include <cuboid/mm/local_copy.hpp>
#include <cuboid/mm/redistribute.hpp>
#include <cuboid/mm/stopwatch.hpp>

#include <algorithm>
#include <complex>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

namespace {

/// Whether a stored matrix lies so that op() of it has `layout`.
bool lies_as(const Layout& stored, Op op, const Layout& layout) {
  return (op == Op::none ? stored : stored.transposed()) == layout;
}

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

void check(const Communicator& communicator, const BrickGrid& grid, int rounds,
           const StoredProduct& product) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "multiplication in bricks: " + message);
  };
  if (grid.size() != product.size()) reject("the grid is for another size: decompose this one");
  if (rounds < 1) reject(fmt::format("{} rounds: give at least 1", rounds));
  if (grid.ranks() > communicator.size()) {
    reject(fmt::format("a {} grid needs {} ranks, there are {}: give a smaller grid or more ranks",
                       to_string(grid), grid.ranks(), communicator.size()));
  }
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
                                            int rounds, const StoredProduct& product)
    : communicator_(communicator), grid_(grid), product_(product) {
  check(communicator, grid, rounds, product);
  if (const auto at = grid.position(communicator.rank())) brick_ = grid.brick(*at);
  const auto communicators = split_communicators(communicator, grid);
  const auto hold_own = [&](std::optional<Matrix<T>>& own, const Layout& stored, Op op,
                            const Layout& layout) {
    if (!lies_as(stored, op, layout)) own.emplace(communicator, layout);
  };
  agreed(communicator, [&] {
    hold_own(own_a_, product.A, product.op_a, grid.a_layout());
    hold_own(own_b_, product.B, product.op_b, grid.b_layout());
    hold_own(own_c_, product.C, Op::none, grid.c_layout());
    if (brick_) {
      cut_rounds(rounds);
      make_exchanges(communicators);
    }
    return true;
  });
  if (gather_a_) gather_a_->plan();
  if (gather_b_) gather_b_->plan();
  if (sum_c_) sum_c_->plan();
}

template <MatrixElement T>
void BrickMultiplication<T>::cut_rounds(int rounds) {
  const int slices = grid_.parts(WorkAxis::columns);
  const int layer = grid_.position(communicator_.rank())->layer;
  const BlockCyclic<Inner> inner = grid_.a_inner();
  rounds_.resize(static_cast<std::size_t>(rounds));
  std::int64_t slice_begin = 0;
  for (int slice = 0; slice < slices; ++slice) {
    const std::int64_t extent = inner.local_extent(layer * slices + slice);
    const auto cut = BlockCyclic<Inner>::even(extent, rounds);
    std::int64_t begin = slice_begin;
    for (int round = 0; round < rounds; ++round) {
      const std::int64_t length = cut.local_extent(round);
      rounds_[static_cast<std::size_t>(round)].push_back({begin, length});
      begin += length;
    }
    slice_begin += extent;
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::make_exchanges(const std::vector<Communicator>& communicators) {
  const int rank = communicator_.rank();
  const BrickPosition at = *grid_.position(rank);
  const auto stages = [&](WorkAxis across) {
    return stages_across(grid_, rank, across, communicators);
  };
  std::vector<FaceRound> a_rounds, b_rounds;
  for (const Round& round : rounds_) {
    FaceRound a{brick_->rows.extent(), {}};
    FaceRound b{0, {}};
    for (const Chunk& chunk : round) {
      a.columns.push_back(chunk.extent);
      b.rows += chunk.extent;
    }
    const int slices = grid_.parts(WorkAxis::rows);
    for (int slice = 0; slice < slices; ++slice) {
      b.columns.push_back(grid_.b_columns().local_extent(at.column * slices + slice));
    }
    a_rounds.push_back(std::move(a));
    b_rounds.push_back(std::move(b));
  }
  const bool scattered_chunks = grid_.parts(WorkAxis::columns) > 1 && rounds_.size() > 1;
  if (grid_.parts(WorkAxis::columns) > 1) {
    gather_a_.emplace(stages(WorkAxis::columns), grid_.slice(rank, WorkAxis::columns),
                      std::move(a_rounds));
  }
  // B's rows of a round are those of A's slices: a panel in one piece only where these are one run.
  if (grid_.parts(WorkAxis::rows) > 1 || scattered_chunks) {
    gather_b_.emplace(stages(WorkAxis::rows), grid_.slice(rank, WorkAxis::rows),
                      std::move(b_rounds));
  }
  if (const int layers = grid_.parts(WorkAxis::inner); layers > 1) {
    FaceRound face{brick_->rows.extent(), {}};
    for (int slice = 0; slice < layers; ++slice) {
      face.columns.push_back(grid_.c_columns().local_extent(at.column * layers + slice));
    }
    sum_c_.emplace(stages(WorkAxis::inner), grid_.slice(rank, WorkAxis::inner), std::move(face));
  }
}

template <MatrixElement T>
void BrickMultiplication<T>::start_round(std::size_t round, const Part& a, const Part& b) {
  const Round& chunks = rounds_[round];
  if (gather_a_) {
    const auto own = static_cast<std::size_t>(grid_.slice(communicator_.rank(), WorkAxis::columns));
    const std::int64_t slice_begin = rounds_.front()[own].begin;
    const LocalView<T> place = gather_a_->own(round);
    copy(a.op, a.block(0, chunks[own].begin - slice_begin, place.rows, place.columns), place);
    gather_a_->start(round);
  }
  if (gather_b_) {
    const LocalView<T> place = gather_b_->own(round);
    std::int64_t row = 0;
    for (const Chunk& chunk : chunks) {
      copy(b.op, b.block(chunk.begin, 0, chunk.extent, place.columns),
           place.block(row, 0, chunk.extent, place.columns));
      row += chunk.extent;
    }
    gather_b_->start(round);
  }
}

template <MatrixElement T>
Panel<T> BrickMultiplication<T>::a_panel(std::size_t round, const Part& a) {
  if (gather_a_) {
    const LocalView<const T> panel = gather_a_->finish();
    return {panel.data, panel.leading_dimension, Op::none};
  }
  const Chunk& chunk = rounds_[round].front();
  return a.panel(0, chunk.begin, brick_->rows.extent(), chunk.extent);
}

template <MatrixElement T>
Panel<T> BrickMultiplication<T>::b_panel(std::size_t round, const Part& b) {
  if (gather_b_) {
    const LocalView<const T> panel = gather_b_->finish();
    return {panel.data, panel.leading_dimension, Op::none};
  }
  const Round& chunks = rounds_[round];
  const std::int64_t begin = chunks.front().begin;
  const std::int64_t end = chunks.back().begin + chunks.back().extent;
  return b.panel(begin, 0, end - begin, brick_->columns.extent());
}

template <MatrixElement T>
void BrickMultiplication<T>::multiply_brick(T alpha, const Part& a, const Part& b, T beta,
                                            LocalView<T> C, const LocalGemm& gemm,
                                            PhaseSeconds& seconds) {
  const LocalView<T> target = sum_c_ ? sum_c_->contribution() : C;
  const auto progress = [&] {
    const bool a_travels = gather_a_ && gather_a_->progress();
    const bool b_travels = gather_b_ && gather_b_->progress();
    return a_travels || b_travels;
  };
  {
    const Stopwatch watch(seconds.broadcast);
    start_round(0, a, b);
  }
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    Panel<T> panel_a, panel_b;
    {
      const Stopwatch watch(seconds.broadcast);
      panel_a = a_panel(round, a);
      panel_b = b_panel(round, b);
      if (round + 1 < rounds_.size()) start_round(round + 1, a, b);
    }
    std::int64_t width = 0;
    for (const Chunk& chunk : rounds_[round]) width += chunk.extent;
    const T first_beta = sum_c_ ? T(0) : beta;
    const Stopwatch watch(seconds.gemm);
    slabbed_gemm(alpha, panel_a, panel_b, width, round == 0 ? first_beta : T(1), target, gemm,
                 progress);
  }
  if (sum_c_) {
    const Stopwatch watch(seconds.broadcast);
    add(sum_c_->sum(), beta, C);
  }
}

template <MatrixElement T>
PhaseSeconds BrickMultiplication<T>::run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta,
                                         Matrix<T>& C, const LocalGemm& gemm) {
  PhaseSeconds seconds;
  if (alpha == T(0) || grid_.size().k == 0) {
    scale(beta, C.local());
    return seconds;
  }
  {
    const Stopwatch watch(seconds.distribute);
    if (own_a_) redistribute(product_.op_a, A, *own_a_);
    if (own_b_) redistribute(product_.op_b, B, *own_b_);
    if (own_c_ && beta != T(0)) redistribute(Op::none, C, *own_c_);
  }
  if (brick_) {
    const auto part = [](const Matrix<T>& stored, Op op, const std::optional<Matrix<T>>& own) {
      return own ? Part{own->local(), Op::none} : Part{stored.local(), op};
    };
    multiply_brick(alpha, part(A, product_.op_a, own_a_), part(B, product_.op_b, own_b_), beta,
                   own_c_ ? own_c_->local() : C.local(), gemm, seconds);
  }
  if (own_c_) {
    const Stopwatch watch(seconds.distribute);
    redistribute(Op::none, *own_c_, C);
  }
  return seconds;
}

template class BrickMultiplication<float>;
template class BrickMultiplication<double>;
template class BrickMultiplication<std::complex<float>>;
template class BrickMultiplication<std::complex<double>>;

}  // namespace cuboid
