#include "collectives/rounds/butterfly.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace cuboid::detail {

namespace {

// ρ(i) = Σ (−2)^j for j = 0 … i.
int swing_distance(int step) {
  int power = 1;
  int sum = 0;
  for (int i = 0; i <= step; ++i, power *= -2) sum += power;
  return sum;
}

int swing_partner(int position, int extent, int step, int direction) {
  const int distance = direction * swing_distance(step);
  const int partner = position + (position % 2 == 0 ? distance : -distance);
  return ((partner % extent) + extent) % extent;
}

// Of two that meet, the one that the first position of all has joined with by then, or would have
// in later steps, is 0.
void tell_digits(std::vector<ButterflyStep>& steps, std::size_t step, int position,
                 std::vector<bool>& ones) {
  if (step == steps.size()) {
    for (std::size_t s = 0; s < steps.size(); ++s)
      steps[s].digit[static_cast<std::size_t>(position)] = ones[s] ? 1 : 0;
    return;
  }
  // member holds the partner until digits are known.
  for (const bool one : {false, true}) {
    ones[step] = one;
    const int next = one ? steps[step].member[static_cast<std::size_t>(position)] : position;
    tell_digits(steps, step + 1, next, ones);
  }
}

std::vector<ButterflyStep> swing_along(int axis, int extent, int direction) {
  std::vector<ButterflyStep> steps;
  for (int step = 0; 1 << step < extent; ++step) {
    ButterflyStep& one = steps.emplace_back();
    one.axis = axis;
    one.digit.resize(static_cast<std::size_t>(extent));
    for (int position = 0; position < extent; ++position)
      one.member.push_back(swing_partner(position, extent, step, direction));
  }
  std::vector<bool> ones(steps.size());
  tell_digits(steps, 0, 0, ones);
  for (ButterflyStep& step : steps) {
    const std::vector<int> partners = std::exchange(step.member, {});
    for (int position = 0; position < extent; ++position) {
      const auto at = static_cast<std::size_t>(position);
      const bool is_one = step.digit[at] == 1;
      step.member.push_back(is_one ? partners[at] : position);
      step.member.push_back(is_one ? position : partners[at]);
    }
  }
  return steps;
}

// Largest first.
std::vector<int> prime_factors(int number) {
  std::vector<int> factors;
  for (int prime = 2; number > 1; ++prime) {
    for (; number % prime == 0; number /= prime) factors.push_back(prime);
  }
  std::ranges::reverse(factors);
  return factors;
}

// The other way, groups begin one node further on: they use the links between the former.
std::vector<ButterflyStep> digits_along(int axis, int extent, bool shifted) {
  const int shift = shifted ? extent - 1 : 0;
  std::vector<ButterflyStep> steps;
  int stride = 1;
  for (const int radix : prime_factors(extent)) {
    ButterflyStep& step = steps.emplace_back(ButterflyStep{axis, radix, {}, {}});
    for (int position = 0; position < extent; ++position) {
      const int place = (position + shift) % extent;
      const int digit = place / stride % radix;
      step.digit.push_back(digit);
      for (int other = 0; other < radix; ++other) {
        const int there = place + (other - digit) * stride;
        step.member.push_back((there + extent - shift) % extent);
      }
    }
    stride *= radix;
  }
  return steps;
}

bool is_power_of_two(int number) {
  return std::has_single_bit(static_cast<unsigned>(number));
}

int core_of(int extent, CoreExtent core) {
  if (core == CoreExtent::whole || extent == 1) return extent;
  int number = extent;
  while (!is_power_of_two(number) &&
         (core == CoreExtent::power_of_two || prime_factors(number).front() > 3))
    --number;
  return number;
}

// The steps along one axis, the next one last.
std::vector<ButterflyStep> steps_along(const Shape& shape, int axis, const Butterfly& butterfly,
                                       Folding folding) {
  const int core = butterfly.cores[static_cast<std::size_t>(axis)];
  const bool folds = core < shape.extent(axis);
  const bool closed = shape.wraps(axis) && !folds;
  auto steps = is_power_of_two(core) ? swing_along(axis, core, butterfly.direction)
                                     : digits_along(axis, core, butterfly.direction < 0 && closed);
  std::ranges::reverse(steps);
  if (folds && folding.fold == FoldTime::axis_by_axis) steps.push_back({axis, 1, {}, {}, {axis}});
  return steps;
}

// Of the next step that is no fold.
int next_radix(const std::vector<ButterflyStep>& steps) {
  return steps.back().is_fold() ? steps[steps.size() - 2].radix : steps.back().radix;
}

Butterfly butterfly_of(const Shape& shape, int first_axis, int direction, Folding folding) {
  Butterfly butterfly;
  butterfly.direction = direction;
  std::vector<int> folded;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    butterfly.cores.push_back(core_of(shape.extent(axis), folding.core));
    if (butterfly.cores.back() < shape.extent(axis)) folded.push_back(axis);
  }
  if (!folded.empty() && folding.fold == FoldTime::at_once)
    butterfly.steps.push_back({folded.front(), 1, {}, {}, folded});
  std::vector<std::vector<ButterflyStep>> along;
  for (int axis = 0; axis < shape.dimensions(); ++axis)
    along.push_back(steps_along(shape, axis, butterfly, folding));
  for (const bool odd : {true, false}) {
    for (bool any = true; any;) {
      any = false;
      for (int turn = 0; turn < shape.dimensions(); ++turn) {
        auto& steps = along[static_cast<std::size_t>((first_axis + turn) % shape.dimensions())];
        if (steps.empty() || (next_radix(steps) > 2) != odd) continue;
        butterfly.steps.push_back(std::move(steps.back()));
        steps.pop_back();
        any = true;
      }
    }
  }
  return butterfly;
}

// Where a line's positions beyond the core hand over: on a ring to both of its ends, on a line to
// its end. Where several axes are folded at once, nodes beyond two of them go further inwards than
// those beyond one.
class FoldedLine {
 public:
  FoldedLine(const Shape& shape, const Butterfly& butterfly, int axis)
      : core_(butterfly.cores[static_cast<std::size_t>(axis)]),
        beyond_(shape.extent(axis) - core_),
        to_the_top_(shape.wraps(axis) ? (beyond_ + (butterfly.direction > 0 ? 1 : 0)) / 2
                                      : beyond_) {}

  int core() const { return core_; }

  int target(int position, bool inwards) const {
    const int number = position - core_;
    const int shift = inwards && core_ >= 2 * (beyond_ + 1) ? (beyond_ + 1) / 2 : 0;
    if (number < to_the_top_) return core_ - 1 - number - (to_the_top_ == beyond_ ? 2 : 1) * shift;
    return beyond_ - 1 - number + shift;
  }

  // The position that hands over to this one; −1 if none does.
  int source(int target_position, bool inwards) const {
    for (int position = core_; position < core_ + beyond_; ++position)
      if (target(position, inwards) == target_position) return position;
    return -1;
  }

 private:
  int core_;
  int beyond_;
  int to_the_top_;
};

int position_of(const Shape& shape, int axis, NodeIndex node) {
  return static_cast<int>(node / shape.stride(axis) % shape.extent(axis));
}

// Messages over each link of a line, up and down.
class LinkLoads {
 public:
  LinkLoads(int extent, bool wraps)
      : extent_(extent),
        wraps_(wraps),
        up_(static_cast<std::size_t>(2 * extent) + 1, 0),
        down_(up_) {}

  void add(int from, int to) {
    int distance = to - from;
    if (wraps_ && 2 * distance > extent_) distance -= extent_;
    if (wraps_ && 2 * distance < -extent_) distance += extent_;
    // The link above a position has its number; a ring's are unrolled.
    const int first = distance > 0 ? from : from + distance;
    const int start = first < 0 ? first + extent_ : first;
    auto& change = distance > 0 ? up_ : down_;
    ++change[static_cast<std::size_t>(start)];
    --change[static_cast<std::size_t>(start + std::abs(distance))];
  }

  int most() const { return std::max(most_of(up_), most_of(down_)); }

 private:
  int most_of(const std::vector<int>& change) const {
    std::vector<int> loads(static_cast<std::size_t>(extent_), 0);
    int load = 0;
    for (std::size_t link = 0; link < change.size(); ++link) {
      load += change[link];
      loads[link % loads.size()] += load;
    }
    return std::ranges::max(loads);
  }

  int extent_;
  bool wraps_;
  std::vector<int> up_;
  std::vector<int> down_;
};

}  // namespace

int Butterfly::pieces(int scattering) const {
  int count = 1;
  for (int s = 0; s < scattering; ++s) count *= steps[static_cast<std::size_t>(s)].radix;
  return count;
}

int Butterfly::least_scattering() const {
  int least = 0;
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (steps[s].radix > 2) least = static_cast<int>(s) + 1;
  return least;
}

std::vector<Butterfly> swing_butterflies(const Shape& shape, Folding folding) {
  std::vector<Butterfly> butterflies;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.extent(axis) == 1) continue;
    for (const int direction : {+1, -1})
      butterflies.push_back(butterfly_of(shape, axis, direction, folding));
  }
  return butterflies;
}

bool takes_part(const Shape& shape, const Butterfly& butterfly, int steps, NodeIndex node) {
  for (int s = 0; s < steps; ++s) {
    for (const int axis : butterfly.steps[static_cast<std::size_t>(s)].folded)
      if (position_of(shape, axis, node) >= butterfly.cores[static_cast<std::size_t>(axis)])
        return false;
  }
  return true;
}

NodeIndex folded_onto(const Shape& shape, const Butterfly& butterfly, const ButterflyStep& fold,
                      NodeIndex node) {
  const auto is_beyond = [&](int axis) {
    return position_of(shape, axis, node) >= butterfly.cores[static_cast<std::size_t>(axis)];
  };
  const bool inwards = std::ranges::count_if(fold.folded, is_beyond) % 2 == 0;
  NodeIndex target = node;
  for (const int axis : fold.folded) {
    if (!is_beyond(axis)) continue;
    const int position = position_of(shape, axis, node);
    const int there = FoldedLine(shape, butterfly, axis).target(position, inwards);
    target += (there - position) * shape.stride(axis);
  }
  return target;
}

std::vector<NodeIndex> folded_from(const Shape& shape, const Butterfly& butterfly,
                                   const ButterflyStep& fold, NodeIndex node) {
  std::vector<NodeIndex> sources;
  for (const bool inwards : {false, true}) {
    std::vector<NodeIndex> found{node};
    for (const int axis : fold.folded) {
      const int position = position_of(shape, axis, node);
      const int source = FoldedLine(shape, butterfly, axis).source(position, inwards);
      if (source < 0) continue;
      for (std::size_t next = 0, known = found.size(); next < known; ++next)
        found.push_back(found[next] + (source - position) * shape.stride(axis));
    }
    for (const NodeIndex source : found) {
      if (source != node && folded_onto(shape, butterfly, fold, source) == node &&
          std::ranges::find(sources, source) == sources.end())
        sources.push_back(source);
    }
  }
  return sources;
}

int most_folded(const ButterflyStep& fold) {
  return 1 << (fold.folded.size() - 1);
}

int busiest_link(const Shape& shape, std::span<const Butterfly> ways, std::size_t step) {
  const int axis = ways.front().steps[step].axis;
  const int extent = shape.extent(axis);
  LinkLoads loads(extent, shape.wraps(axis));
  for (const Butterfly& way : ways) {
    const ButterflyStep& of_way = way.steps[step];
    const FoldedLine line(shape, way, axis);
    if (of_way.is_fold()) {
      for (int position = line.core(); position < extent; ++position)
        loads.add(position, line.target(position, false));
      continue;
    }
    for (int position = 0; position < line.core(); ++position) {
      for (int digit = 0; digit < of_way.radix; ++digit) {
        const int there = of_way.member[static_cast<std::size_t>(position * of_way.radix + digit)];
        if (there != position) loads.add(position, there);
      }
    }
  }
  const auto axes = static_cast<int>(ways.front().steps[step].folded.size());
  return loads.most() * std::max(axes, 1);
}

}  // namespace cuboid::detail
