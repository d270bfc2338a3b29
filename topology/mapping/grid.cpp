#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid {
namespace {

/// The position of a fold at which each digit has the value value(digit).
template <class Value>
int position_of(const Fold& fold, const Value& value) {
  int position = 0;
  for (const Digit& digit : fold.digits) {
    const bool back = fold.snake && position % 2 != 0;
    position = position * digit.extent + (back ? digit.extent - 1 - value(digit) : value(digit));
  }
  return position;
}

/// True if the parts of an axis, put end to end, are the whole axis.
bool complete_axis(std::vector<Digit> parts, int extent) {
  std::ranges::sort(parts, {}, &Digit::stride);
  std::int64_t stride = 1;
  for (const Digit& part : parts) {
    if (part.extent == 1) continue;
    if (part.extent < 1 || part.stride != stride) return false;
    stride *= part.extent;
  }
  return stride == extent;
}

}  // namespace

int Fold::extent() const {
  int extent = 1;
  for (const Digit& digit : digits) extent *= digit.extent;
  return extent;
}

Grid::Grid(Shape shape, int slots, std::vector<Fold> folds)
    : shape_(std::move(shape)), slots_(slots), folds_(std::move(folds)) {
  std::vector<std::vector<Digit>> parts(shape_.axes().size() + 1);
  bool sound = slots >= 1 && shape_.nodes() <= std::numeric_limits<int>::max() / slots;
  for (const Fold& fold : folds_) {
    for (const Digit& digit : fold.digits) {
      const bool known = digit.axis >= 0 && digit.axis <= core_axis();
      sound = sound && known;
      if (known) parts[static_cast<std::size_t>(digit.axis)].push_back(digit);
    }
  }
  for (int axis = 0; sound && axis <= core_axis(); ++axis) {
    const int extent = axis == core_axis() ? slots_ : shape_.extent(axis);
    sound = complete_axis(parts[static_cast<std::size_t>(axis)], extent);
  }
  if (!sound) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format(
            "a grid folds every part of every axis of {} and of {} cores per node exactly once",
            shape_.to_string(), slots));
  }
}

std::vector<int> Grid::extents() const {
  std::vector<int> extents;
  for (const Fold& fold : folds_) extents.push_back(fold.extent());
  return extents;
}

int Grid::ranks() const {
  return static_cast<int>(shape_.nodes()) * slots_;
}

std::vector<int> Grid::coordinate(int rank) const {
  if (rank < 0 || rank >= ranks()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a grid of {} has no rank {}", ranks(), rank));
  }
  std::vector<int> coordinate(folds_.size());
  for (std::size_t axis = folds_.size(); axis-- > 0;) {
    coordinate[axis] = rank % folds_[axis].extent();
    rank /= folds_[axis].extent();
  }
  return coordinate;
}

int Grid::rank(std::span<const int> coordinate) const {
  const auto inside = [](int position, const Fold& fold) {
    return position >= 0 && position < fold.extent();
  };
  if (!std::ranges::equal(coordinate, folds_, inside)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("({}) is not in a grid of {}", fmt::join(coordinate, ","),
                            fmt::join(extents(), "x")));
  }
  int rank = 0;
  for (std::size_t axis = 0; axis < folds_.size(); ++axis) {
    rank = rank * folds_[axis].extent() + coordinate[axis];
  }
  return rank;
}

Location Grid::location(int rank) const {
  if (rank < 0 || rank >= ranks()) coordinate(rank);  // throws
  Location location;
  for (std::size_t axis = folds_.size(); axis-- > 0;) {
    const Fold& fold = folds_[axis];
    int position = rank % fold.extent();
    rank /= fold.extent();
    for (std::size_t i = fold.digits.size(); i-- > 0;) {
      const Digit& digit = fold.digits[i];
      int value = position % digit.extent;
      position /= digit.extent;
      if (fold.snake && position % 2 != 0) value = digit.extent - 1 - value;
      if (digit.axis == core_axis()) {
        location.slot += value * digit.stride;
      } else {
        location.node += value * digit.stride * shape_.stride(digit.axis);
      }
    }
  }
  return location;
}

int Grid::rank_at(const Location& location) const {
  if (location.slot < 0 || location.slot >= slots_) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("slot {}: the grid has {} on each node", location.slot, slots_));
  }
  if (location.node < 0 || location.node >= shape_.nodes())
    shape_.coordinate(location.node);  // throws
  const auto value = [&](const Digit& digit) {
    const int along = digit.axis == core_axis()
                          ? location.slot
                          : static_cast<int>(location.node / shape_.stride(digit.axis) %
                                             shape_.extent(digit.axis));
    return along / digit.stride % digit.extent;
  };
  int rank = 0;
  for (const Fold& fold : folds_) rank = rank * fold.extent() + position_of(fold, value);
  return rank;
}

int Grid::stride(int axis) const {
  int stride = 1;
  for (int later = axis + 1; later < dimensions(); ++later) stride *= extent(later);
  return stride;
}

std::vector<int> Grid::line(int rank, int axis) const {
  const int step = stride(axis);
  const int start = rank - coordinate(rank).at(static_cast<std::size_t>(axis)) * step;
  std::vector<int> members;
  for (int position = 0; position < extent(axis); ++position) {
    members.push_back(start + position * step);
  }
  return members;
}

std::vector<int> Grid::line_starts(int axis) const {
  const int step = stride(axis);
  const int length = extent(axis);
  std::vector<int> starts;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (rank / step % length == 0) starts.push_back(rank);
  }
  return starts;
}

bool Grid::contiguous(int axis) const {
  // The positions of a line on a physical axis have no gaps if its digits are the lowest digits of
  // the axis.
  std::vector<std::int64_t> span(shape_.axes().size(), 1);
  std::vector<Digit> digits = folds_.at(static_cast<std::size_t>(axis)).digits;
  std::erase_if(digits,
                [&](const Digit& digit) { return digit.extent == 1 || digit.axis == core_axis(); });
  std::ranges::sort(digits, {}, &Digit::stride);
  return std::ranges::all_of(digits, [&](const Digit& digit) {
    std::int64_t& covered = span[static_cast<std::size_t>(digit.axis)];
    const bool adjoins = digit.stride == covered;
    covered *= digit.extent;
    return adjoins;
  });
}

std::string Grid::to_string() const {
  std::string text = fmt::format("{}:", fmt::join(extents(), "x"));
  for (std::size_t axis = 0; axis < folds_.size(); ++axis) {
    std::vector<std::string> parts;
    for (const Digit& digit : folds_[axis].digits) {
      if (digit.extent == 1) continue;
      std::string part = digit.axis == core_axis() ? "cores" : fmt::format("axis {}", digit.axis);
      part += fmt::format(": {}", digit.extent);
      if (digit.stride > 1) part += fmt::format(" by {}", digit.stride);
      parts.push_back(std::move(part));
    }
    text += fmt::format("{} ({}{})", axis > 0 ? " x" : "", fmt::join(parts, ", "),
                        folds_[axis].snake ? ", snake" : "");
  }
  return text;
}

Grid alternating_grid(const Shape& shape, int slots, int cores_into) {
  if (cores_into != 0 && cores_into != 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a grid of two axes has no axis {} for the cores", cores_into));
  }
  std::vector<Fold> folds(2);
  for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
    folds[static_cast<std::size_t>(axis % 2)].digits.push_back({axis, shape.extent(axis), 1});
  }
  folds[static_cast<std::size_t>(cores_into)].digits.push_back({shape.dimensions(), slots, 1});
  return Grid(shape, slots, std::move(folds));
}

}  // namespace cuboid
