#include "mm/decompositions/rotation.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace cuboid::detail {

namespace {

int modulo(int value, int modulus) {
  return ((value % modulus) + modulus) % modulus;
}

int ranks_along(const RotationDigit& digit, Side side) {
  return side == Side::left ? digit.columns : digit.rows;
}

}  // namespace

int RotationDigit::blocks() const {
  return std::lcm(rows, columns);
}

Rotation::Rotation(std::vector<RotationDigit> digits, int innermost, int direction)
    : digits_(std::move(digits)), direction_(direction) {
  for (const RotationDigit& digit : digits_) {
    rows_ *= digit.rows;
    columns_ *= digit.columns;
    steps_ *= digit.blocks();
  }
  const auto count = digits_.size();
  for (std::size_t level = 1; level <= count; ++level) {
    order_.push_back((static_cast<std::size_t>(innermost) + level) % count);
  }
  for (int step = 0; step < steps_; ++step) advances_.push_back(advances_until(step));
  left_ = uses(Side::left);
  right_ = uses(Side::right);
}

// The number of advances of each digit before a step. One digit advances per step; an outer digit
// does so when the inner digits have taken all values.
Rotation::Digits Rotation::advances_until(int step) const {
  Digits result(digits_.size());
  int inner = 1;
  for (auto digit = order_.rbegin(); digit != order_.rend(); ++digit) {
    const int radix = digits_[*digit].blocks();
    result[*digit] = (step / inner - step / (inner * radix)) % radix;
    inner *= radix;
  }
  return result;
}

int Rotation::block(GridPosition position, int step) const {
  int number = 0;
  int place = 1;
  for (std::size_t index = digits_.size(); index-- > 0;) {
    const RotationDigit& digit = digits_[index];
    const int blocks = digit.blocks();
    const int row = position.row % digit.rows;
    const int column = position.column % digit.columns;
    const int advanced = direction_ * advances_[static_cast<std::size_t>(step)][index];
    number +=
        place *
        modulo(row * (blocks / digit.rows) + column * (blocks / digit.columns) + advanced, blocks);
    place *= blocks;
    position.row /= digit.rows;
    position.column /= digit.columns;
  }
  return number;
}

// A number that is equal for two steps if their blocks are used on the same line. The blocks that a
// rank of a line uses are L/q apart from the blocks of the next rank.
int Rotation::window(Side side, int step) const {
  int number = 0;
  for (std::size_t digit = 0; digit < digits_.size(); ++digit) {
    const int width = digits_[digit].blocks() / ranks_along(digits_[digit], side);
    number = number * width + advances_[static_cast<std::size_t>(step)][digit] % width;
  }
  return number;
}

Rotation::Uses Rotation::uses(Side side) const {
  const auto steps = static_cast<std::size_t>(steps_);
  Uses uses{std::vector<bool>(steps), std::vector<std::optional<int>>(steps)};
  std::vector<std::optional<int>> next(steps / static_cast<std::size_t>(line(side)));  // by window
  for (int step = steps_ - 1; step >= 0; --step) {
    auto& later = next[static_cast<std::size_t>(window(side, step))];
    uses.again[static_cast<std::size_t>(step)] = std::exchange(later, step);
  }
  for (const std::optional<int>& first : next) uses.first[static_cast<std::size_t>(*first)] = true;
  return uses;
}

bool Rotation::begins(Side side, int step) const {
  return uses_of(side).first[static_cast<std::size_t>(step)];
}

int Rotation::home(Side side, GridPosition position, int step) const {
  return block(position, step) / (steps_ / line(side));
}

std::optional<Onward> Rotation::onward(Side side, GridPosition position, int step) const {
  const std::optional<int> arrival = uses_of(side).again[static_cast<std::size_t>(step)];
  if (!arrival) return std::nullopt;
  const Digits& now = advances_[static_cast<std::size_t>(step)];
  const Digits& then = advances_[static_cast<std::size_t>(*arrival)];
  Onward onward{0, 0, *arrival};
  int here = side == Side::left ? position.column : position.row;
  int place = 1;
  for (std::size_t digit = digits_.size(); digit-- > 0;) {
    const int ranks = ranks_along(digits_[digit], side);
    const int window = digits_[digit].blocks() / ranks;
    const int moved = direction_ * (now[digit] - then[digit]) / window;
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

}  // namespace cuboid::detail
