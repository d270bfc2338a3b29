#include <cuboid/mm/rotation.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace cuboid {

namespace {

int modulo(int value, int modulus) {
  return ((value % modulus) + modulus) % modulus;
}

int ranks_along(const Turn& turn, Side side) {
  return side == Side::left ? turn.columns : turn.rows;
}

}  // namespace

int Turn::blocks() const {
  return std::lcm(rows, columns);
}

Rotation::Rotation(std::vector<Turn> turns, int innermost, int direction)
    : turns_(std::move(turns)), direction_(direction) {
  for (const Turn& turn : turns_) {
    rows_ *= turn.rows;
    columns_ *= turn.columns;
    steps_ *= turn.blocks();
  }
  const auto digits = turns_.size();
  for (std::size_t level = 1; level <= digits; ++level) {
    order_.push_back((static_cast<std::size_t>(innermost) + level) % digits);
  }
  for (int step = 0; step < steps_; ++step) turned_.push_back(turned(step));
}

// How often each digit has turned: with every step one of them, an outer one when the inner ones
// have been everywhere.
Rotation::Digits Rotation::turned(int step) const {
  Digits result(turns_.size());
  int inner = 1;
  for (auto digit = order_.rbegin(); digit != order_.rend(); ++digit) {
    const int radix = turns_[*digit].blocks();
    result[*digit] = (step / inner - step / (inner * radix)) % radix;
    inner *= radix;
  }
  return result;
}

int Rotation::block(GridPosition position, int step) const {
  int number = 0;
  int place = 1;
  for (std::size_t digit = turns_.size(); digit-- > 0;) {
    const Turn& turn = turns_[digit];
    const int blocks = turn.blocks();
    const int row = position.row % turn.rows;
    const int column = position.column % turn.columns;
    const int turned = direction_ * turned_[static_cast<std::size_t>(step)][digit];
    number += place * modulo(row * (blocks / turn.rows) + column * (blocks / turn.columns) + turned,
                             blocks);
    place *= blocks;
    position.row /= turn.rows;
    position.column /= turn.columns;
  }
  return number;
}

// Whether a block used at the one moment is used on the same line at the other: each rank of a line
// uses the blocks that are L/q apart from those of the next.
bool Rotation::same_window(Side side, const Digits& one, const Digits& other) const {
  for (std::size_t digit = 0; digit < turns_.size(); ++digit) {
    const int window = turns_[digit].blocks() / ranks_along(turns_[digit], side);
    if ((one[digit] - other[digit]) % window != 0) return false;
  }
  return true;
}

bool Rotation::begins(Side side, int step) const {
  const auto end = turned_.begin() + step;
  return std::none_of(turned_.begin(), end,
                      [&](const Digits& earlier) { return same_window(side, earlier, *end); });
}

int Rotation::home(Side side, GridPosition position, int step) const {
  return block(position, step) / (steps_ / line(side));
}

std::optional<Onward> Rotation::onward(Side side, GridPosition position, int step) const {
  const auto now = turned_.begin() + step;
  const auto then = std::find_if(
      now + 1, turned_.end(), [&](const Digits& later) { return same_window(side, later, *now); });
  if (then == turned_.end()) return std::nullopt;
  Onward onward{0, 0, static_cast<int>(then - turned_.begin())};
  int here = side == Side::left ? position.column : position.row;
  int place = 1;
  for (std::size_t digit = turns_.size(); digit-- > 0;) {
    const int ranks = ranks_along(turns_[digit], side);
    const int window = turns_[digit].blocks() / ranks;
    const int moved = direction_ * ((*now)[digit] - (*then)[digit]) / window;
    onward.to += place * modulo(here % ranks + moved, ranks);
    onward.from += place * modulo(here % ranks - moved, ranks);
    here /= ranks;
    place *= ranks;
  }
  return onward;
}

GridShape skewed(const GridShape& grid, const Rotation& rotation, Side side) {
  std::vector<int> ranks(static_cast<std::size_t>(grid.size()));
  for (int row = 0; row < grid.rows(); ++row) {
    for (int column = 0; column < grid.columns(); ++column) {
      const int block = rotation.block({row, column}, 0);
      const int place =
          side == Side::left ? row * grid.columns() + block : block * grid.columns() + column;
      ranks[static_cast<std::size_t>(place)] = grid.rank({row, column});
    }
  }
  return {grid.rows(), grid.columns(), std::move(ranks)};
}

Slots::Slots(const Rotation& rotation, Side side)
    : of_step(static_cast<std::size_t>(rotation.steps())) {
  constexpr int at_once = -1;  // before the first step
  std::vector<int> last_use(static_cast<std::size_t>(rotation.steps() / rotation.line(side)),
                            at_once);
  const auto take = [&](int arrival, int use) {
    const auto free =
        std::find_if(last_use.begin(), last_use.end(), [&](int last) { return last < arrival; });
    const auto slot = free - last_use.begin();
    if (free == last_use.end()) last_use.push_back(use);
    last_use[static_cast<std::size_t>(slot)] = use;
    of_step[static_cast<std::size_t>(use)] = static_cast<int>(slot);
  };
  for (int step = 0; step < rotation.steps(); ++step) {
    if (rotation.begins(side, step)) take(at_once, step);
  }
  for (int step = 0; step < rotation.steps(); ++step) {
    if (const auto onward = rotation.onward(side, {}, step)) take(step, onward->arrival);
  }
  count = static_cast<int>(last_use.size());
}

}  // namespace cuboid
