#include "topology/mapping/axis_assignments.hpp"

#include <limits>
#include <utility>

namespace cuboid::detail {
namespace {

/// Assigns one physical axis after the other, part by part, beginning with the lowest stride.
class AxisAssigner {
 public:
  AxisAssigner(const Shape& shape, int slots, std::span<const int> extents)
      : shape_(shape),
        slots_(slots),
        wanted_(extents.begin(), extents.end()),
        folds_(extents.size()) {}

  /// Assignments in which exactly `cuts` axes of the shape are cut: all of them, or the first
  /// `most`.
  std::vector<std::vector<Fold>> with_cuts(
      int cuts, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    found_.clear();
    cuts_left_ = cuts;
    most_ = most;
    assign_axis(0);
    return std::move(found_);
  }

 private:
  int extent(int axis) const { return axis == shape_.dimensions() ? slots_ : shape_.extent(axis); }

  void assign_axis(int axis) {
    if (found_.size() == most_) return;
    if (axis > shape_.dimensions()) {
      if (cuts_left_ == 0) found_.push_back(folds_);
      return;
    }
    assign_part(axis, 1, 0);
  }

  /// Assigns the rest of an axis, from `stride` on. The parts with lower strides went to the grid
  /// axes in the bit set `taken`.
  void assign_part(int axis, int stride, unsigned taken) {
    const int left = extent(axis) / stride;
    if (left == 1) return assign_axis(axis + 1);
    const bool cuts_network = stride == 1 && axis < shape_.dimensions();
    for (int into = 0; into < static_cast<int>(folds_.size()); ++into) {
      if ((taken >> into & 1U) != 0) continue;
      int& wanted = wanted_[static_cast<std::size_t>(into)];
      for (int part = 2; part <= left; ++part) {
        if (left % part != 0 || wanted % part != 0) continue;
        const bool cut = cuts_network && part < left;
        if (cut && cuts_left_ == 0) continue;
        cuts_left_ -= cut ? 1 : 0;
        wanted /= part;
        folds_[static_cast<std::size_t>(into)].digits.push_back({axis, part, stride});
        assign_part(axis, stride * part, taken | 1U << into);
        folds_[static_cast<std::size_t>(into)].digits.pop_back();
        wanted *= part;
        cuts_left_ += cut ? 1 : 0;
      }
    }
  }

  const Shape& shape_;
  int slots_;
  std::vector<int> wanted_;  ///< by grid axis: the factor that is still to be assigned
  std::vector<Fold> folds_;
  int cuts_left_ = 0;
  std::size_t most_ = 0;
  std::vector<std::vector<Fold>> found_;
};

}  // namespace

std::vector<std::vector<Fold>> axis_assignments(const Shape& shape, int slots,
                                                std::span<const int> extents) {
  return AxisAssigner(shape, slots, extents).with_cuts(fewest_cuts(shape, slots, extents));
}

int fewest_cuts(const Shape& shape, int slots, std::span<const int> extents) {
  AxisAssigner assigner(shape, slots, extents);
  int cuts = 0;
  while (assigner.with_cuts(cuts, 1).empty()) ++cuts;
  return cuts;
}

}  // namespace cuboid::detail
