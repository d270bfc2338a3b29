#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include "topology/network/routing.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;
namespace {

/// The values of a fold's digits at a position of a grid axis, slowest digit first.
void digits_at(const Fold& fold, int position, std::vector<int>& values) {
  values.resize(fold.digits.size());
  for (std::size_t i = fold.digits.size(); i-- > 0;) {
    const int extent = fold.digits[i].extent;
    values[i] = position % extent;
    position /= extent;
    // `position` now counts the passes of this digit: every other pass goes backwards.
    if (fold.snake && position % 2 != 0) values[i] = extent - 1 - values[i];
  }
}

void check_rates(const Grid& grid, std::span<const double> bytes_per_second) {
  if (!bytes_per_second.empty() &&
      std::cmp_not_equal(bytes_per_second.size(), grid.shape().dimensions())) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} rates for the axes of {}", bytes_per_second.size(),
                            grid.shape().to_string()));
  }
}

/// The weight of a message on this axis of the shape, in messages on the fastest axis.
double weight_of(int axis, std::span<const double> bytes_per_second) {
  if (bytes_per_second.empty()) return 1;
  const double rate = bytes_per_second[static_cast<std::size_t>(axis)];
  return rate > 0 ? std::ranges::max(bytes_per_second) / rate : 1;
}

/// The traffic of a grid axis's lines on one axis of the shape. Routes go axis by axis. While a
/// route goes along this axis, it has its end's coordinates on earlier axes and its start's
/// coordinates on later axes. So lines that differ on another axis share no link here. On the other
/// axes only one thing matters: whether a digit is at an end. So few values represent all values:
/// an even and an odd number.
class AxisView {
 public:
  AxisView(const Grid& grid, int grid_axis, int axis)
      : shape_(grid.shape()),
        axis_(axis),
        extent_(shape_.extent(axis)),
        fold_(grid.folds()[static_cast<std::size_t>(grid_axis)]) {
    for (Digit& digit : fold_.digits) {
      const bool as_it_is = digit.axis == axis || digit.axis == grid.core_axis();
      if (!as_it_is && digit.extent > 1) digit.extent = 2 + digit.extent % 2;
    }
    for (int position = 0; position < extent_; ++position) {
      const bool first = std::ranges::none_of(fold_.digits, [&](const Digit& digit) {
        return digit.axis == axis && position / digit.stride % digit.extent != 0;
      });
      if (first) firsts_.push_back(position);
    }
  }

  /// The number of messages on the busiest link if every rank sends one to the next rank of its
  /// line.
  int shifts() {
    struct Place {
      int along = 0;
      int before = 0;
      int behind = 0;
    };
    std::vector<Place> places;
    int befores = 1, behinds = 1;
    for (const Digit& digit : fold_.digits) {
      if (digit.axis < axis_) befores *= digit.extent;
      if (digit.axis > axis_ && digit.axis < shape_.dimensions()) behinds *= digit.extent;
    }
    std::vector<int> values;
    for (int position = 0; position < fold_.extent(); ++position) {
      digits_at(fold_, position, values);
      Place place;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Digit& digit = fold_.digits[i];
        if (digit.axis == axis_) {
          place.along += values[i] * digit.stride;
        } else if (digit.axis < axis_) {
          place.before = place.before * digit.extent + values[i];
        } else if (digit.axis < shape_.dimensions()) {
          place.behind = place.behind * digit.extent + values[i];
        }
      }
      places.push_back(place);
    }
    clear(befores * behinds);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& from = places[i];
      const Place& to = places[(i + 1) % places.size()];
      for (const int first : firsts_)
        send(to.before * behinds + from.behind, first + from.along, first + to.along);
    }
    return busiest();
  }

  /// The number of messages on the busiest link if the first rank of every line sends one to all
  /// ranks of its line, over the tree of its routes.
  /// @param farthest  written: the most links of the axis that one of these messages crosses.
  int broadcasts(int& farthest) {
    std::vector<int> offsets{0};
    for (const Digit& digit : fold_.digits) {
      if (digit.axis != axis_) continue;
      const std::size_t known = offsets.size();
      for (int value = 1; value < digit.extent; ++value) {
        for (std::size_t i = 0; i < known; ++i)
          offsets.push_back(offsets[i] + value * digit.stride);
      }
    }
    clear(1);
    farthest = 0;
    for (const int first : firsts_) {
      int upwards = 0, downwards = 0;
      for (const int offset : offsets) {
        const int steps = steps_along(shape_, axis_, first, first + offset);
        upwards = std::max(upwards, steps);
        downwards = std::max(downwards, -steps);
      }
      go(0, first, upwards);
      go(0, first, -downwards);
      farthest = std::max({farthest, upwards, downwards});
    }
    return busiest();
  }

 private:
  void clear(int lines) { messages_.assign(static_cast<std::size_t>(2 * lines * extent_), 0); }
  int busiest() const { return std::ranges::max(messages_); }

  void send(int line, int from, int to) { go(line, from, steps_along(shape_, axis_, from, to)); }

  void go(int line, int from, int steps) {
    const int direction = steps > 0 ? 1 : -1;
    for (; steps != 0; steps -= direction) {
      ++messages_[static_cast<std::size_t>(2 * (line * extent_ + from) + (direction < 0 ? 1 : 0))];
      from = (from + direction + extent_) % extent_;
    }
  }

  const Shape& shape_;
  int axis_;
  int extent_;
  Fold fold_;
  std::vector<int> firsts_;    // positions of the lines' first ranks
  std::vector<int> messages_;  // by line, position and direction
};

/// The axes of the shape along which the lines of a grid axis run.
std::vector<int> axes_of(const Grid& grid, int axis) {
  std::vector<int> axes;
  for (const Digit& digit : grid.folds()[static_cast<std::size_t>(axis)].digits) {
    const bool known = std::ranges::find(axes, digit.axis) != axes.end();
    if (digit.extent > 1 && digit.axis != grid.core_axis() && !known) axes.push_back(digit.axis);
  }
  return axes;
}

/// The number of lines that go through the same nodes, in different slots.
int copies_of(const Grid& grid, int axis) {
  int slots = 1;
  for (const Digit& digit : grid.folds()[static_cast<std::size_t>(axis)].digits) {
    if (digit.axis == grid.core_axis()) slots *= digit.extent;
  }
  return grid.slots() / slots;
}

/// The number of links between two ranks of a line, from the differences of their coordinates.
int links_between(const Shape& shape, std::span<const int> differences) {
  int links = 0;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int apart = std::abs(differences[static_cast<std::size_t>(axis)]);
    links += shape.wraps(axis) ? std::min(apart, shape.extent(axis) - apart) : apart;
  }
  return links;
}

/// The largest number of links from a rank to the next rank of its line. In each step one digit
/// advances, and the faster digits stay at their end (snake) or return to their start. The last
/// step returns all digits to the first rank.
int farthest_shift(const Grid& grid, int axis) {
  const Fold& fold = grid.folds()[static_cast<std::size_t>(axis)];
  std::vector<int> jump(static_cast<std::size_t>(grid.core_axis()) + 1, 0);
  int farthest = 0;
  for (std::size_t i = fold.digits.size(); i-- > 0;) {
    const Digit& digit = fold.digits[i];
    if (digit.extent == 1) continue;
    int& on_axis = jump[static_cast<std::size_t>(digit.axis)];
    on_axis += digit.stride;
    farthest = std::max(farthest, links_between(grid.shape(), jump));
    on_axis -= fold.snake ? digit.stride : digit.extent * digit.stride;
  }
  std::vector<int> last;
  digits_at(fold, fold.extent() - 1, last);
  std::ranges::fill(jump, 0);
  for (std::size_t i = 0; i < last.size(); ++i)
    jump[static_cast<std::size_t>(fold.digits[i].axis)] += last[i] * fold.digits[i].stride;
  return std::max(farthest, links_between(grid.shape(), jump));
}

}  // namespace

PatternLoad passages_load(const Shape& shape, std::span<const Passage> passages) {
  std::vector<int> messages(static_cast<std::size_t>(2 * shape.nodes() * shape.dimensions()), 0);
  std::vector<Hop> hops;
  PatternLoad load;
  for (const Passage& passage : passages) {
    hops.clear();
    append_route(shape, passage.from, passage.to, hops, HalfWay::in_turn);
    load.dilation = std::max(load.dilation, static_cast<int>(hops.size()));
    for (const Hop& hop : hops) {
      const int on_link = ++messages[static_cast<std::size_t>(link_number(shape, hop))];
      load.worst_link = std::max(load.worst_link, static_cast<double>(on_link));
    }
  }
  return load;
}

PatternLoad shift_load(const Grid& grid, int axis, std::span<const double> bytes_per_second) {
  check_rates(grid, bytes_per_second);
  PatternLoad load{farthest_shift(grid, axis), 0};
  for (const int physical : axes_of(grid, axis)) {
    const double weight = weight_of(physical, bytes_per_second) * copies_of(grid, axis);
    load.worst_link = std::max(load.worst_link, weight * AxisView(grid, axis, physical).shifts());
  }
  return load;
}

PatternLoad broadcast_load(const Grid& grid, int axis, std::span<const double> bytes_per_second) {
  check_rates(grid, bytes_per_second);
  PatternLoad load;
  for (const int physical : axes_of(grid, axis)) {
    const double weight = weight_of(physical, bytes_per_second) * copies_of(grid, axis);
    int farthest = 0;
    load.worst_link =
        std::max(load.worst_link, weight * AxisView(grid, axis, physical).broadcasts(farthest));
    load.dilation += farthest;
  }
  return load;
}

}  // namespace cuboid
