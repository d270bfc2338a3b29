#include "mm/drivers/cannon/rotating_multiplication.hpp"

#include <cuboid/error.hpp>
#include <cuboid/point_to_point.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

void check(const GridShape& grid, const std::vector<Rotation>& colours) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "multiplication by rotation: " + message);
  };
  if (colours.empty()) reject("no rotation given: give at least one");
  for (const Rotation& colour : colours) {
    if (colour.rows() == grid.rows() && colour.columns() == grid.columns()) continue;
    reject(fmt::format("a rotation of {}x{} on a {} grid: give one of the same rows and columns",
                       colour.rows(), colour.columns(), to_string(grid)));
  }
}

/// The tag of the message that carries a slice. If several slices have the same tag, both ends list
/// them in the same order.
int tag_of(int slice) {
  return slice % (max_tag + 1);
}

template <class Dimension>
std::int64_t longest(const BlockCyclic<Dimension>& distribution) {
  std::int64_t extent = 0;
  for (int process = 0; process < distribution.processes(); ++process) {
    extent = std::max(extent, distribution.local_extent(process));
  }
  return extent;
}

}  // namespace

template <MatrixElement T>
RotatingMultiplication<T>::RotatingMultiplication(const Communicator& communicator,
                                                  const GridShape& grid,
                                                  std::vector<Rotation> colours,
                                                  const ProductLayouts& product, Sidedness sides)
    : MultiplicationDriver<T>(communicator, grid.size(), product, OwnOperands::applied),
      grid_(grid),
      colours_(std::move(colours)) {
  check(grid, colours_);
  wanted_ = wanted_for_rotation(product, grid, colours_);
  slices_ = BlockCyclic<Inner>::even(product.size().k,
                                     colours_.front().steps() * static_cast<int>(colours_.size()));
  position_ = grid.position(communicator.rank());
  const Communicator ranks = communicator.split(position_ ? 0 : -1, communicator.rank());
  const std::size_t bytes = lay_out_memory() * sizeof(T);
  collective_try(communicator, [&] {
    this->own().make(communicator, wanted_);
    if (position_ && sides == Sidedness::two_sided) {
      exchange_ = std::make_unique<SentBlocks>(ranks, bytes, make_stages());
    }
  });
  if (sides == Sidedness::two_sided) return;
  collective_try(communicator, [&] {
    if (position_) exchange_ = std::make_unique<PutBlocks>(ranks, bytes, make_stages());
  });
}

// The places of blocks in memory. They are the same on every rank, so each rank knows the places in
// other ranks' memory.
template <MatrixElement T>
std::size_t RotatingMultiplication<T>::lay_out_memory() {
  const std::int64_t width = longest(slices_);
  std::size_t end = 0;
  const auto lay_out = [&](Side side, std::int64_t breadth) {
    // Blocks begin at a cache line.
    constexpr std::size_t line = 64 / sizeof(T) > 0 ? 64 / sizeof(T) : 1;
    const auto length = static_cast<std::size_t>(breadth * width + line - 1) / line * line;
    std::vector<BlockPosition> places;
    for (const Rotation& colour : colours_) {
      places.push_back({Slots(colour, side), end, length});
      end += static_cast<std::size_t>(places.back().slots.count) * length;
    }
    return places;
  };
  a_places_ = lay_out(Side::left, longest(wanted_.C.rows()));
  b_places_ = lay_out(Side::right, longest(wanted_.C.columns()));
  return end;
}

template <MatrixElement T>
int RotatingMultiplication<T>::slice(std::size_t colour, GridPosition position, int step) const {
  return colours_[colour].block(position, step) * static_cast<int>(colours_.size()) +
         static_cast<int>(colour);
}

/// The rank at a place on this rank's line.
template <MatrixElement T>
int RotatingMultiplication<T>::peer(Side side, int place) const {
  return grid_.rank(side == Side::left ? GridPosition{position_->row, place}
                                       : GridPosition{place, position_->column});
}

template <MatrixElement T>
std::size_t RotatingMultiplication<T>::bytes_of(Side side, int slice) const {
  const std::int64_t breadth = side == Side::left
                                   ? wanted_.C.rows().local_extent(position_->row)
                                   : wanted_.C.columns().local_extent(position_->column);
  return static_cast<std::size_t>(breadth * slices_.local_extent(slice)) * sizeof(T);
}

/// The stages: the stagger, then the shifts during each step.
template <MatrixElement T>
std::vector<BlockStage> RotatingMultiplication<T>::make_stages() const {
  const int steps = colours_.front().steps();
  std::vector<BlockStage> stages(static_cast<std::size_t>(steps) + 1);
  for (const Side side : {Side::left, Side::right}) {
    if (!is_skewed(side)) add_stagger(side, stages.front());
    for (int step = 0; step < steps; ++step) {
      add_shifts(side, step, stages[static_cast<std::size_t>(step) + 1]);
    }
  }
  return stages;
}

/// The stagger: every block goes from its place in the layout to the rank that multiplies it first.
template <MatrixElement T>
void RotatingMultiplication<T>::add_stagger(Side side, BlockStage& stage) const {
  const int here = side == Side::left ? position_->column : position_->row;
  for (std::size_t colour = 0; colour < colours_.size(); ++colour) {
    const Rotation& rotation = colours_[colour];
    const BlockPosition& at = place(side, colour);
    const int at_home = rotation.steps() / rotation.line(side);
    for (int step = 0; step < rotation.steps(); ++step) {
      if (!rotation.begins(side, step)) continue;
      const std::size_t to =
          at.element(at.slots.of_step[static_cast<std::size_t>(step)]) * sizeof(T);
      for (int there = 0; there < rotation.line(side); ++there) {
        GridPosition user = *position_;
        (side == Side::left ? user.column : user.row) = there;
        const int slice = this->slice(colour, user, step);
        const int origin = rotation.home(side, user, step);
        const std::size_t from = at.element(rotation.block(user, step) % at_home) * sizeof(T);
        const std::size_t bytes = bytes_of(side, slice);
        if (origin == here) {
          stage.sends.push_back({peer(side, there), tag_of(slice), from, to, bytes});
        }
        if (there == here && origin != here) {
          stage.receives.push_back({peer(side, origin), tag_of(slice), to, from, bytes});
        }
      }
    }
  }
}

template <MatrixElement T>
void RotatingMultiplication<T>::add_shifts(Side side, int step, BlockStage& stage) const {
  for (std::size_t colour = 0; colour < colours_.size(); ++colour) {
    const auto onward = colours_[colour].onward(side, *position_, step);
    if (!onward) continue;
    const BlockPosition& at = place(side, colour);
    const auto slot_of = [&](int use) {
      return at.element(at.slots.of_step[static_cast<std::size_t>(use)]) * sizeof(T);
    };
    const int leaving = slice(colour, *position_, step);
    const int coming = slice(colour, *position_, onward->arrival);
    stage.sends.push_back({peer(side, onward->to), tag_of(leaving), slot_of(step),
                           slot_of(onward->arrival), bytes_of(side, leaving)});
    stage.receives.push_back({peer(side, onward->from), tag_of(coming), slot_of(onward->arrival),
                              slot_of(step), bytes_of(side, coming)});
  }
}

template <MatrixElement T>
LocalView<T> RotatingMultiplication<T>::block(Side side, int slot, std::size_t colour,
                                              int slice) const {
  T* const data = reinterpret_cast<T*>(exchange_->memory()) + place(side, colour).element(slot);
  const std::int64_t width = slices_.local_extent(slice);
  if (side == Side::left) {
    const std::int64_t rows = wanted_.C.rows().local_extent(position_->row);
    return dense_view(data, rows, width);
  }
  const std::int64_t columns = wanted_.C.columns().local_extent(position_->column);
  return dense_view(data, width, columns);
}

/// Copies this rank's part of a side into the slots from which the stagger takes it.
template <MatrixElement T>
void RotatingMultiplication<T>::pack(Side side, Op op, LocalView<const T> stored) const {
  if (is_skewed(side)) {
    copy(op, stored, block(side, place(side, 0).slots.of_step[0], 0, slice(0, *position_, 0)));
    return;
  }
  const int here = side == Side::left ? position_->column : position_->row;
  const auto colours = static_cast<int>(colours_.size());
  const int slices_here = slices_.processes() / colours_.front().line(side);
  std::int64_t begin = 0;
  for (int i = 0; i < slices_here; ++i) {
    const int slice = here * slices_here + i;
    const LocalView<T> to =
        block(side, i / colours, static_cast<std::size_t>(slice % colours), slice);
    const bool along_columns = (side == Side::left) == (op == Op::none);
    const std::int64_t width = slices_.local_extent(slice);
    copy(op,
         along_columns ? stored.block(0, begin, stored.rows, width)
                       : stored.block(begin, 0, width, stored.columns),
         to);
    begin += width;
  }
}

template <MatrixElement T>
void RotatingMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                         PhaseSeconds& seconds) {
  if (!position_) return;
  {
    const Stopwatch watch(seconds.distribute);
    pack(Side::left, input.op_a, input.A.local());
    pack(Side::right, input.op_b, input.B.local());
  }
  {
    const Stopwatch watch(seconds.broadcast);
    exchange_->open();
    exchange_->start(0);  // stagger
    exchange_->finish();
  }
  const int steps = colours_.front().steps();
  const LocalView<T> C = input.C.local();
  std::int64_t inner = 0, widest = 0;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t colour = 0; colour < colours_.size(); ++colour) {
      const std::int64_t width = slices_.local_extent(slice(colour, *position_, step));
      inner += width;
      widest = std::max(widest, width);
    }
  }
  const auto progress = [&] { return exchange_->progress(); };
  SumOfPanels<T> sum(gemm, C, inner, widest, input.beta);
  for (int step = 0; step < steps; ++step) {
    const auto now = static_cast<std::size_t>(step);
    {
      const Stopwatch watch(seconds.broadcast);
      exchange_->start(now + 1);  // shift
    }
    {
      const Stopwatch watch(seconds.gemm);
      for (std::size_t colour = 0; colour < colours_.size(); ++colour) {
        const int slice = this->slice(colour, *position_, step);
        const auto panel = [&](Side side) {
          const int slot = place(side, colour).slots.of_step[now];
          const LocalView<T> view = block(side, slot, colour, slice);
          return Panel<T>{view.data, view.leading_dimension, Op::none};
        };
        const bool first = step == 0 && colour == 0;
        sum.add(input.alpha, panel(Side::left), panel(Side::right), slices_.local_extent(slice),
                first ? input.beta : T(1), C, progress);
      }
    }
    const Stopwatch watch(seconds.broadcast);
    exchange_->finish();
  }
  const Stopwatch watch(seconds.gemm);
  sum.finish(progress);
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(RotatingMultiplication);

}  // namespace cuboid::detail
