#include "mm/drivers/srumma/srumma_multiplication.hpp"

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/decompositions/required_layouts.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <complex>
#include <utility>

namespace cuboid::detail {

template <MatrixElement T>
SrummaMultiplication<T>::SrummaMultiplication(const Communicator& communicator,
                                              const GridShape& grid, const ProductLayouts& product,
                                              SharedBlocks shared, Gets gets)
    : MultiplicationDriver<T>(communicator, grid.size(), product, OwnOperands::as_given),
      grid_(communicator, grid),
      gets_(gets) {
  const RequiredLayouts wanted = wanted_for_reading(product, grid);
  const bool one_node = on_one_node(communicator);
  collective_try(communicator, [&] {
    one_node ? this->own().make_c(communicator, wanted) : this->own().make(communicator, wanted);
  });
  if (one_node) this->own().share_operands(communicator, wanted);
  if (grid_.position()) share_operands(wanted.A, wanted.B.transposed(), product, shared);
}

template <MatrixElement T>
void SrummaMultiplication<T>::share_operands(const Layout& a, const Layout& b,
                                             const ProductLayouts& product, SharedBlocks shared) {
  const BlockCyclic<Inner> a_inner = a.columns().template as<Inner>();
  const BlockCyclic<Inner> b_inner = b.columns().template as<Inner>();
  const bool in_place = on_one_node(grid_.communicator()) && shared == SharedBlocks::in_place;
  const SrummaWidths widths = in_place ? srumma_within_node : srumma_over_network;
  tasks_ = cut_srumma_tasks(a_inner, b_inner, widths.widest_task);
  at_once_ = std::clamp<std::size_t>(tasks_.size(), 2, widths.at_once);
  const int rank = grid_.communicator().rank();
  OperandPieces a_pieces{{}, a.local_rows(rank), product.op_a == Op::none, product.op_a};
  OperandPieces b_pieces{{}, b.local_rows(rank), product.op_b != Op::none, product.op_b};
  for (const auto& [inner, a_owner, b_owner] : tasks_) {
    a_pieces.pieces.push_back({a_owner, a_inner.local(inner.begin).value, inner.extent()});
    b_pieces.pieces.push_back({b_owner, b_inner.local(inner.begin).value, inner.extent()});
  }
  std::vector<int> row, column;
  const GridPosition here = *grid_.position();
  for (int at = 0; at < grid_.shape().columns(); ++at) {
    row.push_back(grid_.shape().rank({here.row, at}));
  }
  for (int at = 0; at < grid_.shape().rows(); ++at) {
    column.push_back(grid_.shape().rank({at, here.column}));
  }
  a_.emplace(grid_.row(), std::move(row), std::move(a_pieces), shared);
  b_.emplace(grid_.column(), std::move(column), std::move(b_pieces), shared);
}

template <MatrixElement T>
void SrummaMultiplication<T>::get_ready(const Matrix<T>& A, const Matrix<T>& B) {
  const Readable readable{A.is_readable_on_node(), B.is_readable_on_node()};
  if (prepared_ == readable) return;
  prepared_.reset();
  // Each line of ranks makes a window. If one line cannot, all ranks learn of it.
  collective_try(grid_.communicator(), [&] {
    if (a_) a_->prepare(readable.a);
  });
  collective_try(grid_.communicator(), [&] {
    if (b_) b_->prepare(readable.b);
  });
  collective_try(grid_.communicator(), [&] {
    if (a_) a_->allocate(at_once_);
    if (b_) b_->allocate(at_once_);
  });
  prepared_ = readable;
  if (!a_) return;
  DirectBlocks direct;
  for (int column = 0; column < grid_.shape().columns(); ++column)
    direct.a.push_back(a_->direct(column));
  for (int row = 0; row < grid_.shape().rows(); ++row) direct.b.push_back(b_->direct(row));
  order_ = order_srumma_tasks(tasks_, grid_.position()->row, grid_.position()->column, direct);
  const auto fetched = std::find_if(order_.begin(), order_.end(), [&](std::size_t task) {
    return !a_->direct(tasks_[task].a_owner) || !b_->direct(tasks_[task].b_owner);
  });
  first_fetched_ = static_cast<std::size_t>(fetched - order_.begin());
  in_flight_.reserve(at_once_);
}

template <MatrixElement T>
void SrummaMultiplication<T>::fetch_next() {
  if (next_fetched_ >= order_.size()) return;
  const std::size_t task = order_[next_fetched_++];
  a_->fetch(task);
  b_->fetch(task);
  in_flight_.push_back(task);
}

template <MatrixElement T>
std::size_t SrummaMultiplication<T>::take_fetched() {
  auto next = in_flight_.begin();
  if (gets_ == Gets::by_arrival) {
    const auto arrived = std::ranges::find_if(in_flight_, [&](std::size_t task) {
      return a_->has_arrived(task) && b_->has_arrived(task);
    });
    if (arrived != in_flight_.end()) next = arrived;
  }
  const std::size_t task = *next;
  in_flight_.erase(next);
  a_->arrive(task);
  b_->arrive(task);
  return task;
}

template <MatrixElement T>
void SrummaMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                       PhaseSeconds& seconds) {
  if (!a_) return;
  {
    const Stopwatch watch(seconds.distribute);
    a_->open(input.A);
    b_->open(input.B);
  }
  // If a network cannot read memory by itself, the owner's progress serves the readers.
  const bool others_fetch = !a_->all_direct() || !b_->all_direct();
  const auto progress = [&] {
    a_->progress();
    b_->progress();
    return others_fetch;
  };

  const LocalView<T> C = input.C.local();
  std::int64_t inner = 0, widest = 0;
  for (const std::size_t task : order_) {
    inner += tasks_[task].inner.extent();
    widest = std::max<std::int64_t>(widest, tasks_[task].inner.extent());
  }
  SumOfPanels<T> sum(gemm, C, inner, widest, input.beta);
  const bool ahead = gets_ != Gets::blocking;
  in_flight_.clear();
  next_fetched_ = first_fetched_;
  for (std::size_t early = 1; ahead && early < at_once_; ++early) fetch_next();
  for (std::size_t step = 0; step < order_.size(); ++step) {
    std::size_t task = order_[step];
    if (step >= first_fetched_) {
      const Stopwatch watch(seconds.broadcast);
      if (!ahead) fetch_next();
      task = take_fetched();
      if (ahead) fetch_next();
    }
    const Stopwatch watch(seconds.gemm);
    sum.add(input.alpha, a_->panel(task), b_->panel(task), tasks_[task].inner.extent(),
            step == 0 ? input.beta : T(1), C, progress);
    a_->release(task);
    b_->release(task);
  }
  {
    const Stopwatch watch(seconds.gemm);
    sum.finish(progress);
  }
  const Stopwatch watch(seconds.broadcast);
  a_->close();
  b_->close();
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(SrummaMultiplication);

}  // namespace cuboid::detail
