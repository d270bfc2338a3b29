#include "collectives/rounds/swing.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
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
std::vector<ButterflyStep> digits_along(const Shape& shape, int axis, int direction) {
  const int extent = shape.extent(axis);
  const int shift = direction < 0 && shape.wraps(axis) ? extent - 1 : 0;
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

Butterfly butterfly_of(const Shape& shape, int first_axis, int direction) {
  std::vector<std::vector<ButterflyStep>> along;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const int extent = shape.extent(axis);
    along.push_back(std::has_single_bit(static_cast<unsigned>(extent))
                        ? swing_along(axis, extent, direction)
                        : digits_along(shape, axis, direction));
    std::ranges::reverse(along.back());  // the next one last
  }
  Butterfly butterfly;
  for (const bool odd : {true, false}) {
    for (bool any = true; any;) {
      any = false;
      for (int turn = 0; turn < shape.dimensions(); ++turn) {
        auto& steps = along[static_cast<std::size_t>((first_axis + turn) % shape.dimensions())];
        if (steps.empty() || (steps.back().radix > 2) != odd) continue;
        butterfly.steps.push_back(std::move(steps.back()));
        steps.pop_back();
        any = true;
      }
    }
  }
  return butterfly;
}

// The pieces of a colour that follow on each other.
struct Range {
  int first = 0;
  int count = 1;
};

// The rounds of one colour.
class Colour {
 public:
  Colour(const Shape& shape, const Butterfly& butterfly, int scattering, int first_piece)
      : shape_(shape), butterfly_(butterfly), scattering_(scattering), first_piece_(first_piece) {}

  NodeIndex member(NodeIndex node, const ButterflyStep& step, int digit) const {
    const int position = position_of(node, step);
    const int there = step.member[static_cast<std::size_t>(position * step.radix + digit)];
    return node + (there - position) * shape_.stride(step.axis);
  }

  int digit(NodeIndex node, const ButterflyStep& step) const {
    return step.digit[static_cast<std::size_t>(position_of(node, step))];
  }

  // The pieces that a node is to have after so many steps.
  Range kept(NodeIndex node, int steps) const {
    Range range{0, 1};
    for (int s = 0; s < scattering_; ++s) {
      const ButterflyStep& step = butterfly_.steps[static_cast<std::size_t>(s)];
      range.first = range.first * step.radix + (s < steps ? digit(node, step) : 0);
      if (s >= steps) range.count *= step.radix;
    }
    range.first += first_piece_;
    return range;
  }

 private:
  int position_of(NodeIndex node, const ButterflyStep& step) const {
    return static_cast<int>(node / shape_.stride(step.axis) % shape_.extent(step.axis));
  }

  const Shape& shape_;
  const Butterfly& butterfly_;
  int scattering_;
  int first_piece_;
};

}  // namespace

int Butterfly::pieces(int scattering) const {
  int count = 1;
  for (int s = 0; s < scattering; ++s) count *= steps[static_cast<std::size_t>(s)].radix;
  return count;
}

std::vector<Butterfly> swing_butterflies(const Shape& shape) {
  std::vector<Butterfly> butterflies;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.extent(axis) == 1) continue;
    for (const int direction : {+1, -1})
      butterflies.push_back(butterfly_of(shape, axis, direction));
  }
  return butterflies;
}

int least_scattering(const Butterfly& butterfly) {
  return static_cast<int>(std::ranges::count_if(
      butterfly.steps, [](const ButterflyStep& step) { return step.radix > 2; }));
}

Rounds butterfly_allreduce(const Shape& shape, std::span<const Butterfly> butterflies,
                           int scattering, std::span<const int> rank_of_node,
                           std::optional<int> only) {
  const auto steps = static_cast<int>(butterflies.front().steps.size());
  Rounds rounds{.ranks = static_cast<int>(rank_of_node.size())};
  rounds.rounds.resize(static_cast<std::size_t>(steps + scattering));
  const auto add = [&](int round, NodeIndex from, NodeIndex to, Range range, bool combine) {
    Exchange& exchange = rounds.rounds[static_cast<std::size_t>(round)].emplace_back();
    exchange.sender = rank_of_node[static_cast<std::size_t>(from)];
    exchange.receiver = rank_of_node[static_cast<std::size_t>(to)];
    exchange.blocks.resize(static_cast<std::size_t>(range.count));
    std::iota(exchange.blocks.begin(), exchange.blocks.end(), range.first);
    exchange.combine = combine;
  };
  int first_piece = 0;
  for (const Butterfly& butterfly : butterflies) {
    const Colour colour(shape, butterfly, scattering, first_piece);
    const auto send = [&](int s, NodeIndex from, NodeIndex to) {
      const int steps_then = std::min(s + 1, scattering);
      add(s, from, to, colour.kept(to, steps_then), true);
      if (s < scattering)
        add(steps + scattering - 1 - s, from, to, colour.kept(from, steps_then), false);
    };
    const auto add_all_of = [&](NodeIndex node) {
      for (int s = 0; s < steps; ++s) {
        const ButterflyStep& step = butterfly.steps[static_cast<std::size_t>(s)];
        for (int digit = 0; digit < step.radix; ++digit) {
          if (digit == colour.digit(node, step)) continue;
          const NodeIndex other = colour.member(node, step, digit);
          send(s, node, other);
          if (only) send(s, other, node);
        }
      }
    };
    if (only) {
      add_all_of(*only);
    } else {
      for (NodeIndex node = 0; node < shape.nodes(); ++node) add_all_of(node);
    }
    first_piece += butterfly.pieces(scattering);
  }
  for (auto& round : rounds.rounds) {
    std::ranges::stable_sort(round, {}, [](const Exchange& exchange) {
      return std::pair(exchange.sender, exchange.receiver);
    });
  }
  return rounds;
}

std::vector<Piece> butterfly_pieces(std::span<const Butterfly> butterflies, int scattering,
                                    std::size_t bytes, std::size_t element_bytes) {
  std::vector<Piece> pieces;
  const std::vector<Slice> parts = cut({0, bytes}, butterflies.size(), element_bytes);
  for (std::size_t colour = 0; colour < parts.size(); ++colour) {
    const auto count = static_cast<std::size_t>(butterflies[colour].pieces(scattering));
    for (const Slice& slice : cut(parts[colour], count, element_bytes))
      pieces.push_back({0, slice});
  }
  return pieces;
}

}  // namespace cuboid::detail
