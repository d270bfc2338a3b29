#include "collectives/rounds/swing.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

namespace cuboid::detail {

namespace {

int log2_of(int power_of_two) {
  return std::countr_zero(static_cast<unsigned>(power_of_two));
}

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

// Which axis each step goes along: axes take turns from `first` on, each as often as it has to.
std::vector<int> axis_of_step(const Shape& shape, int first) {
  std::vector<int> left;
  for (const Axis& axis : shape.axes()) left.push_back(log2_of(axis.extent));
  std::vector<int> axes;
  int steps = std::accumulate(left.begin(), left.end(), 0);
  for (int turn = first; steps > 0; ++turn) {
    const int axis = turn % shape.dimensions();
    if (left[static_cast<std::size_t>(axis)] == 0) continue;
    --left[static_cast<std::size_t>(axis)];
    --steps;
    axes.push_back(axis);
  }
  return axes;
}

Butterfly swing_butterfly(const Shape& shape, int first_axis, int direction) {
  Butterfly butterfly;
  std::vector<int> steps_along(static_cast<std::size_t>(shape.dimensions()), 0);
  for (const int axis : axis_of_step(shape, first_axis)) {
    const int step = steps_along[static_cast<std::size_t>(axis)]++;
    auto& partners = butterfly.partners.emplace_back();
    for (NodeIndex node = 0; node < shape.nodes(); ++node) {
      Coordinate at = shape.coordinate(node);
      int& position = at[static_cast<std::size_t>(axis)];
      position = swing_partner(position, shape.extent(axis), step, direction);
      partners.push_back(static_cast<int>(shape.index(at)));
    }
  }
  return butterfly;
}

// Numbers the nodes so that whoever is joined in the last steps follows on each other: the group of
// a node before step s then has the consecutive numbers that agree in all but the last steps − s
// bits.
class Numbering {
 public:
  explicit Numbering(const Butterfly& butterfly, std::size_t nodes)
      : butterfly_(butterfly), number_(nodes) {
    lay_out(0, 0);
  }

  // The numbers of the nodes that `node` has joined with from step `step` on.
  std::vector<int> group(int node, int step) const {
    const int size = 1 << (butterfly_.steps() - step);
    std::vector<int> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), number_[static_cast<std::size_t>(node)] & -size);
    return numbers;
  }

 private:
  void lay_out(int node, int step) {
    if (step == butterfly_.steps()) {
      number_[static_cast<std::size_t>(node)] = next_++;
      return;
    }
    const auto s = static_cast<std::size_t>(step);
    lay_out(node, step + 1);
    lay_out(butterfly_.partners[s][static_cast<std::size_t>(node)], step + 1);
  }

  const Butterfly& butterfly_;
  std::vector<int> number_;
  int next_ = 0;
};

std::vector<int> shifted(std::vector<int> blocks, int by) {
  for (int& block : blocks) block += by;
  return blocks;
}

}  // namespace

bool swings(const Shape& shape) {
  return std::ranges::all_of(shape.axes(), [](const Axis& axis) {
    return std::has_single_bit(static_cast<unsigned>(axis.extent));
  });
}

std::vector<Butterfly> swing_butterflies(const Shape& shape) {
  std::vector<Butterfly> butterflies;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.extent(axis) == 1) continue;
    for (const int direction : {+1, -1})
      butterflies.push_back(swing_butterfly(shape, axis, direction));
  }
  return butterflies;
}

Rounds butterfly_allreduce(std::span<const Butterfly> butterflies,
                           std::span<const int> rank_of_node, std::optional<int> only) {
  const int nodes = static_cast<int>(rank_of_node.size());
  const int steps = log2_of(nodes);
  Rounds rounds{.ranks = nodes};
  rounds.rounds.resize(static_cast<std::size_t>(2 * steps));
  int first_block = 0;
  for (const Butterfly& butterfly : butterflies) {
    const Numbering numbering(butterfly, rank_of_node.size());
    for (int step = 0; step < steps; ++step) {
      auto& combining = rounds.rounds[static_cast<std::size_t>(step)];
      auto& gathering = rounds.rounds[static_cast<std::size_t>(2 * steps - 1 - step)];
      const auto& partners = butterfly.partners[static_cast<std::size_t>(step)];
      const auto send_from = [&](int node) {
        const int partner = partners[static_cast<std::size_t>(node)];
        const int sender = rank_of_node[static_cast<std::size_t>(node)];
        const int receiver = rank_of_node[static_cast<std::size_t>(partner)];
        combining.push_back({.sender = sender,
                             .receiver = receiver,
                             .blocks = shifted(numbering.group(partner, step + 1), first_block),
                             .combine = true});
        gathering.push_back({.sender = sender,
                             .receiver = receiver,
                             .blocks = shifted(numbering.group(node, step + 1), first_block)});
      };
      if (only) {
        send_from(*only);
        send_from(partners[static_cast<std::size_t>(*only)]);
      }
      for (int node = 0; !only && node < nodes; ++node) send_from(node);
    }
    first_block += nodes;
  }
  return rounds;
}

}  // namespace cuboid::detail
