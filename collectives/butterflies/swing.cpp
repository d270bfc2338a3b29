#include "collectives/butterflies/swing.hpp"

#include "collectives/butterflies/fold.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>

namespace cuboid::detail {

namespace {

// The rounds of one colour.
class Colour {
 public:
  Colour(const Shape& shape, const Butterfly& butterfly, int scatter_steps, int first_piece)
      : shape_(shape),
        butterfly_(butterfly),
        scatter_steps_(scatter_steps),
        first_piece_(first_piece) {}

  NodeIndex member(NodeIndex node, const ButterflyStep& step, int digit) const {
    const int position = shape_.coordinate(node, step.axis);
    const int there = step.member[static_cast<std::size_t>(position * step.radix + digit)];
    return node + (there - position) * shape_.stride(step.axis);
  }

  int digit(NodeIndex node, const ButterflyStep& step) const {
    return step.digit[static_cast<std::size_t>(shape_.coordinate(node, step.axis))];
  }

  // The pieces that a node has to deal with after the first `steps` steps, in ascending order.
  // Before an overlapped fold a surplus node does not take the steps along its axis, so it keeps
  // all their parts. If the last of these steps is a ring, only the pieces for arcs that reach at
  // least `reach` to `side` count.
  BlockSet kept(NodeIndex node, int steps, int side = 0, int reach = 0) const {
    std::vector<int> firsts{0};
    int count = 1;
    for (int s = 0; s < std::min(scatter_steps_, butterfly_.length()); ++s) {
      const ButterflyStep& step = butterfly_.steps[static_cast<std::size_t>(s)];
      if (step.is_fold() || step.collects) continue;
      const bool is_taken = s < steps;
      if (is_taken && step.passes_on()) {
        const int least = s + 1 == steps ? reach : 0;
        firsts = with_each(firsts, step.radix, positions(node, s, steps, side, least));
      } else if (is_taken && is_surplus(shape_, butterfly_, step.axis, node)) {
        firsts = with_each(firsts, step.radix, std::views::iota(0, step.radix));
      } else {
        const int part = is_taken ? digit(node, step) : 0;
        for (int& first : firsts) first = first * step.radix + part;
      }
      if (!is_taken) count *= step.radix;
    }
    BlockSet pieces;
    for (const int first : firsts) pieces.push_back({first_piece_ + first, count, 1});
    return pieces;
  }

  // The pieces for the node `further` positions along a ring, of its arcs that reach at least
  // `reach` to `side`.
  BlockSet kept_further(NodeIndex node, int step, int further, int side, int reach) const {
    return kept(further_along(node, step, further), step + 1, side, reach);
  }

  NodeIndex further_along(NodeIndex node, int step, int further) const {
    const int axis = butterfly_.steps[static_cast<std::size_t>(step)].axis;
    return node_above(shape_, axis, node, further);
  }

 private:
  // The positions along a ring whose pieces a node has: before the collection one in every arc,
  // after it only its own.
  std::vector<int> positions(NodeIndex node, int ring, int steps, int side, int reach) const {
    const ButterflyStep& step = butterfly_.steps[static_cast<std::size_t>(ring)];
    const int own = shape_.coordinate(node, step.axis);
    for (int s = ring + 1; s < steps; ++s) {
      const ButterflyStep& later = butterfly_.steps[static_cast<std::size_t>(s)];
      if (later.collects && later.axis == step.axis) return {own};
    }
    std::vector<int> positions;
    for (const RingArc& arc : step.arcs) {
      if (side == 0 || arc.reach(side) >= reach)
        positions.push_back((own + arc.centre) % shape_.extent(step.axis));
    }
    std::ranges::sort(positions);
    return positions;
  }

  template <class Digits>
  static std::vector<int> with_each(const std::vector<int>& firsts, int radix,
                                    const Digits& digits) {
    std::vector<int> next;
    next.reserve(firsts.size() * digits.size());
    for (const int first : firsts) {
      for (const int digit : digits) next.push_back(first * radix + digit);
    }
    return next;
  }

  const Shape& shape_;
  const Butterfly& butterfly_;
  int scatter_steps_;
  int first_piece_;
};

// The number of the first round of each step: forwards, and backwards for steps that scatter or
// fold.
class RoundNumbers {
 public:
  RoundNumbers(const Butterfly& butterfly, int scatter_steps) {
    for (const ButterflyStep& step : butterfly.steps) {
      forwards_.push_back(step.is_overlapped() ? forwards_.back() : all_);
      if (!step.is_overlapped()) all_ += step.rounds();
    }
    backwards_.assign(butterfly.steps.size(), -1);
    for (int s = butterfly.length() - 1; s >= 0; --s) {
      const ButterflyStep& step = butterfly.steps[static_cast<std::size_t>(s)];
      if (s >= scatter_steps && !step.is_fold()) continue;
      backwards_[static_cast<std::size_t>(s)] = all_;
      if (!step.is_overlapped()) all_ += step.rounds();
    }
  }

  int all() const { return all_; }
  bool returns(int step) const { return backwards(step) >= 0; }
  int forwards(int step) const { return forwards_[static_cast<std::size_t>(step)]; }
  int backwards(int step) const { return backwards_[static_cast<std::size_t>(step)]; }

 private:
  int all_ = 0;
  std::vector<int> forwards_;
  std::vector<int> backwards_;
};

class RoundsMaker {
 public:
  RoundsMaker(const Shape& shape, const ButterflyTask& task,
              const std::function<int(NodeIndex)>& rank_of_node, std::optional<int> only)
      : shape_(shape),
        task_(task),
        rank_of_node_(rank_of_node),
        only_(only),
        rounds_{.ranks = static_cast<int>(shape.nodes()), .lockstep = task.lockstep} {}

  void add(const Butterfly& butterfly, int first_piece) {
    rounds_.packed = rounds_.packed || butterfly.scatters_pieces();
    rounds_.lockstep = rounds_.lockstep || rounds_.packed;
    const Colour colour(shape_, butterfly, task_.scatter_steps, first_piece);
    const RoundNumbers numbers(butterfly, task_.scatter_steps);
    if (rounds_.rounds.size() < static_cast<std::size_t>(numbers.all()))
      rounds_.rounds.resize(static_cast<std::size_t>(numbers.all()));
    for (int s = 0; s < butterfly.length(); ++s) {
      if (only_) {
        add_step(butterfly, colour, numbers, s, *only_);
        continue;
      }
      for (NodeIndex node = 0; node < shape_.nodes(); ++node)
        add_step(butterfly, colour, numbers, s, node);
    }
  }

  Rounds take() && {
    // All ranks send the messages of a round in the same order, so that the same message arrives
    // everywhere at the same time.
    for (auto& round : rounds_.rounds) std::ranges::stable_sort(round, {}, &Exchange::sender);
    return std::move(rounds_);
  }

 private:
  void add_step(const Butterfly& butterfly, const Colour& colour, const RoundNumbers& numbers,
                int s, NodeIndex node) {
    if (!takes_part(shape_, butterfly, s, node)) return;
    const ButterflyStep& step = butterfly.steps[static_cast<std::size_t>(s)];
    if (step.is_fold()) return add_fold(butterfly, colour, numbers, s, node);
    if (step.passes_on()) return add_ring(step, colour, numbers, s, node);
    if (step.collects) return add_collection(step, colour, numbers, s, node);
    const auto meet = [&](NodeIndex from, NodeIndex to) {
      add(numbers.forwards(s), from, to, colour.kept(to, s + 1), true);
      if (numbers.returns(s)) add(numbers.backwards(s), from, to, colour.kept(from, s + 1), false);
    };
    for (int digit = 0; digit < step.radix; ++digit) {
      if (digit == colour.digit(node, step)) continue;
      const NodeIndex other = colour.member(node, step, digit);
      meet(node, other);
      if (only_) meet(other, node);
    }
  }

  // Forwards, the pieces for an arc's centre start at both ends of the arc and are combined on
  // their way. Backwards, every centre's pieces go to both ends.
  void add_ring(const ButterflyStep& step, const Colour& colour, const RoundNumbers& numbers, int s,
                NodeIndex node) {
    for (const int side : {+1, -1}) {
      const auto pass_on = [&](NodeIndex from, NodeIndex to) {
        for (int reach = step.reach(side); reach > 0; --reach) {
          add(numbers.forwards(s) + step.rounds() - reach, from, to,
              colour.kept_further(from, s, side * reach, side, reach), true);
        }
        for (int reach = 1; reach <= step.reach(-side); ++reach) {
          add(numbers.backwards(s) + reach - 1, from, to,
              colour.kept_further(from, s, -side * (reach - 1), -side, reach), false);
        }
      };
      pass_on(node, colour.further_along(node, s, side));
      if (only_) pass_on(colour.further_along(node, s, -side), node);
    }
  }

  void add_collection(const ButterflyStep& step, const Colour& colour, const RoundNumbers& numbers,
                      int s, NodeIndex node) {
    const auto meet = [&](NodeIndex centre, NodeIndex owner) {
      const BlockSet pieces = colour.kept(owner, s + 1);
      add(numbers.forwards(s), centre, owner, pieces, true);
      add(numbers.backwards(s), owner, centre, pieces, false);
    };
    for (std::size_t arc = 1; arc < step.arcs.size(); ++arc) {
      const int above = step.arcs[arc].centre;
      meet(node, colour.further_along(node, s, above));
      if (only_) meet(colour.further_along(node, s, -above), node);
    }
  }

  void add_fold(const Butterfly& butterfly, const Colour& colour, const RoundNumbers& numbers,
                int s, NodeIndex node) {
    const ButterflyStep& step = butterfly.steps[static_cast<std::size_t>(s)];
    const auto hand_over = [&](NodeIndex from, NodeIndex to) {
      const BlockSet pieces = colour.kept(to, s);
      add(numbers.forwards(s), from, to, pieces, true);
      add(numbers.backwards(s), to, from, pieces, false);
    };
    for (const NodeIndex target : folded_onto(shape_, butterfly, step, node))
      hand_over(node, target);
    if (!only_) return;
    for (const NodeIndex source : folded_from(shape_, butterfly, step, node))
      hand_over(source, node);
  }

  void add(int round, NodeIndex from, NodeIndex to, BlockSet pieces, bool combine) {
    Exchange& exchange = rounds_.rounds[static_cast<std::size_t>(round)].emplace_back();
    exchange.sender = rank_of_node_(from);
    exchange.receiver = rank_of_node_(to);
    exchange.blocks = std::move(pieces);
    exchange.combine = combine;
  }

  const Shape& shape_;
  const ButterflyTask& task_;
  const std::function<int(NodeIndex)>& rank_of_node_;
  std::optional<int> only_;
  Rounds rounds_;
};

}  // namespace

Rounds butterfly_rounds(const Shape& shape, std::span<const Butterfly> butterflies,
                        const ButterflyTask& task,
                        const std::function<int(NodeIndex)>& rank_of_node,
                        std::optional<int> only) {
  RoundsMaker maker(shape, task, rank_of_node, only);
  int first_piece = 0;
  for (const Butterfly& butterfly : butterflies) {
    maker.add(butterfly, first_piece);
    first_piece += butterfly.pieces(task.scatter_steps);
  }
  return std::move(maker).take();
}

}  // namespace cuboid::detail
