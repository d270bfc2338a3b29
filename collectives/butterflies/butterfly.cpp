#include "collectives/butterflies/butterfly.hpp"

#include "collectives/butterflies/fold.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <span>
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

// Sets the digits of a line's positions: a depth-first walk from position 0. Of two positions that
// meet in a step, the one on position 0's side has digit 0.
void tell_digits(std::vector<ButterflyStep>& steps, std::size_t step, int position,
                 std::vector<bool>& ones) {
  if (step == steps.size()) {
    for (std::size_t s = 0; s < steps.size(); ++s)
      steps[s].digit[static_cast<std::size_t>(position)] = ones[s] ? 1 : 0;
    return;
  }
  // `member` holds the partner until the digits are known.
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

// In descending order.
std::vector<int> prime_factors(int number) {
  std::vector<int> factors;
  for (int prime = 2; number > 1; ++prime) {
    for (; number % prime == 0; number /= prime) factors.push_back(prime);
  }
  std::ranges::reverse(factors);
  return factors;
}

// Steps by the digits of a position in mixed radix. `shifted`: groups begin one node further on, so
// they use the links between the unshifted groups.
std::vector<ButterflyStep> digits_along(int axis, std::span<const int> radices, int extent,
                                        bool shifted) {
  const int shift = shifted ? extent - 1 : 0;
  std::vector<ButterflyStep> steps;
  int stride = 1;
  for (const int radix : radices) {
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

// On shorter rings every node is a neighbour of every other, or of a neighbour.
constexpr int least_ring = 4;

int core_of(int extent, int digits) {
  if (digits == 0) return extent;
  const int dropped = std::bit_width(static_cast<unsigned>(extent)) - digits;
  return dropped > 0 ? extent >> dropped << dropped : extent;
}

// Replaces the first two of at least two steps of radix 2 by one of radix 4.
std::vector<int> four_first(std::vector<int> twos) {
  twos.pop_back();
  twos.front() = 4;
  return twos;
}

// Translates a step among the positions of a core to positions of the whole line.
ButterflyStep spread(const ButterflyStep& step, int extent, int core, const CoreLine& line) {
  ButterflyStep on_line{step.axis,
                        step.radix,
                        std::vector<int>(static_cast<std::size_t>(extent)),
                        std::vector<int>(static_cast<std::size_t>(extent * step.radix)),
                        {}};
  for (int index = 0; index < core; ++index) {
    const int position = line.position(index);
    on_line.digit[static_cast<std::size_t>(position)] = step.digit[static_cast<std::size_t>(index)];
    for (int digit = 0; digit < step.radix; ++digit)
      on_line.member[static_cast<std::size_t>(position * step.radix + digit)] =
          line.position(step.member[static_cast<std::size_t>(index * step.radix + digit)]);
  }
  return on_line;
}

// The steps along one axis, in reverse order: the next one is last.
std::vector<ButterflyStep> steps_along(const Shape& shape, int axis, const Butterfly& butterfly,
                                       bool first_of_four) {
  const int core = butterfly.cores[static_cast<std::size_t>(axis)];
  const int extent = shape.extent(axis);
  const bool folds = core < extent;
  // A line that folds is mirrored as a whole for the other direction.
  const int direction = folds ? 1 : butterfly.direction;
  const bool shifted = shape.wraps(axis) && direction < 0;
  std::vector<int> radices = prime_factors(core);
  if (first_of_four) radices = four_first(std::move(radices));
  auto steps = is_power_of_two(core) && !first_of_four ? swing_along(axis, core, direction)
                                                       : digits_along(axis, radices, core, shifted);
  std::ranges::reverse(steps);
  if (folds) {
    const CoreLine line(shape.axes()[static_cast<std::size_t>(axis)], core, butterfly.direction);
    for (ButterflyStep& step : steps) step = spread(step, extent, core, line);
  }
  return steps;
}

// The ring along an axis, in `arcs` arcs or fewer: an arc has at least two nodes.
ButterflyStep ring_along(int axis, int extent, int arcs) {
  ButterflyStep ring{axis, extent, {}, {}};
  ring.arcs = ring_arcs(extent, std::min(arcs, extent / 2));
  return ring;
}

ButterflyStep collected(const ButterflyStep& ring) {
  ButterflyStep step = ring;
  step.radix = static_cast<int>(ring.arcs.size());
  step.collects = true;
  return step;
}

Butterfly butterfly_of(const Shape& shape, int first_axis, int direction, Folding folding) {
  Butterfly butterfly{cores_of(shape, folding.digits), direction, {}};
  std::vector<bool> is_ring(static_cast<std::size_t>(shape.dimensions()), false);
  for (int turn = 0, rings = 0; turn < shape.dimensions() && rings < folding.rings; ++turn) {
    const int axis = (first_axis + turn) % shape.dimensions();
    if (!shape.wraps(axis) || shape.extent(axis) < least_ring) continue;
    ++rings;
    is_ring[static_cast<std::size_t>(axis)] = true;
    butterfly.cores[static_cast<std::size_t>(axis)] = shape.extent(axis);
    butterfly.steps.push_back(ring_along(axis, shape.extent(axis), folding.arcs));
  }
  for (std::size_t step = 0, rings = butterfly.steps.size(); step < rings; ++step) {
    if (butterfly.steps[step].arcs.size() > 1)
      butterfly.steps.push_back(collected(butterfly.steps[step]));
  }
  std::vector<int> folded;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (butterfly.cores[static_cast<std::size_t>(axis)] < shape.extent(axis))
      folded.push_back(axis);
  }
  if (!folded.empty() && folding.fold == FoldTime::at_once)
    butterfly.steps.push_back({folded.front(), 1, {}, {}, folded});
  std::vector<std::vector<ButterflyStep>> along;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (is_ring[static_cast<std::size_t>(axis)]) {
      along.emplace_back();
      continue;
    }
    const int core = butterfly.cores[static_cast<std::size_t>(axis)];
    const bool first_of_four =
        folding.first_of_four && axis == first_axis && is_power_of_two(core) && core >= 4;
    along.push_back(steps_along(shape, axis, butterfly, first_of_four));
  }
  std::vector<int> taken(along.size(), 0);  // steps taken, by axis
  for (const bool odd : {true, false}) {
    for (bool any = true; any;) {
      any = false;
      for (int turn = 0; turn < shape.dimensions(); ++turn) {
        const int axis = (first_axis + turn) % shape.dimensions();
        auto& steps = along[static_cast<std::size_t>(axis)];
        if (steps.empty() || (!folding.in_turns && (steps.back().radix > 2) != odd)) continue;
        any = true;
        butterfly.steps.push_back(std::move(steps.back()));
        steps.pop_back();
        const bool has_come = ++taken[static_cast<std::size_t>(axis)] == folding.during;
        if (folding.fold == FoldTime::overlapped && (has_come || steps.empty()) &&
            std::erase(folded, axis) > 0)
          butterfly.steps.push_back(overlapped_fold(shape, butterfly, axis));
      }
    }
  }
  return butterfly;
}

}  // namespace

int ButterflyStep::reach(int side) const {
  int farthest = 0;
  for (const RingArc& arc : arcs) farthest = std::max(farthest, arc.reach(side));
  return farthest;
}

double ButterflyStep::left() const {
  return (passes_on() ? static_cast<double>(arcs.size()) : 1.0) / radix;
}

bool ButterflyStep::takes_over(int position, int surplus) const {
  const auto parts_of = std::span(member).subspan(static_cast<std::size_t>(surplus * parts),
                                                  static_cast<std::size_t>(parts));
  return std::ranges::find(parts_of, position) != parts_of.end();
}

int Butterfly::pieces(int scatter_steps) const {
  int count = 1;
  for (int s = 0; s < std::min(scatter_steps, length()); ++s)
    count *= steps[static_cast<std::size_t>(s)].pieces();
  return count;
}

int Butterfly::least_scatter_steps() const {
  int least = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const bool in_any_order = steps[s].radix <= 2 && steps[s].arcs.empty();
    if (steps[s].is_overlapped() || !in_any_order) least = static_cast<int>(s) + 1;
  }
  return least;
}

bool Butterfly::scatters_pieces() const {
  return std::ranges::any_of(steps, &ButterflyStep::collects);
}

std::vector<int> cores_of(const Shape& shape, int digits) {
  std::vector<int> cores;
  for (int axis = 0; axis < shape.dimensions(); ++axis)
    cores.push_back(core_of(shape.extent(axis), digits));
  return cores;
}

bool of_mixed_radices(const Shape& shape) {
  const auto is_odd = [](const Axis& axis) { return !is_power_of_two(axis.extent); };
  const auto odd = std::ranges::count_if(shape.axes(), is_odd);
  return odd > 0 && odd < count_long_axes(shape);
}

int largest_radix(const Shape& shape, const Folding& folding) {
  const bool all_wrap = std::ranges::all_of(shape.axes(), &Axis::wraps);
  if (all_wrap && folding.rings >= shape.dimensions()) return 1;
  int largest = 1;
  for (const int core : cores_of(shape, folding.digits)) {
    for (const int factor : prime_factors(core)) largest = std::max(largest, factor);
  }
  return largest;
}

std::vector<Butterfly> swing_butterflies(const Shape& shape, Folding folding) {
  std::vector<Butterfly> butterflies;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.extent(axis) == 1) continue;
    for (const int direction : {+1, -1}) {
      if (direction < 0 && (folding.one_way || folding.rings > 0)) continue;
      butterflies.push_back(butterfly_of(shape, axis, direction, folding));
    }
  }
  return butterflies;
}

}  // namespace cuboid::detail
