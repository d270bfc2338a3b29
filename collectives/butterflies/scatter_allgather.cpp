#include "collectives/butterflies/scatter_allgather.hpp"

#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cuboid::detail {

namespace {

// The nodes that already have, before each step of the scatter, what they keep of the root's
// message.
class ReachedNodes {
 public:
  ReachedNodes(const Shape& shape, const ScatterAllgather& colour, NodeIndex root) : shape_(shape) {
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      std::vector<bool> now(static_cast<std::size_t>(shape.extent(axis)), false);
      now[static_cast<std::size_t>(shape.coordinate(root, axis))] = true;
      auto& before = by_axis_.emplace_back();
      for (const auto& step : colour.steps) {
        before.push_back(now);
        if (step->axis == axis) now = spread(now, *step);
      }
    }
  }

  bool before(int step, NodeIndex node) const {
    for (int axis = 0; axis < shape_.dimensions(); ++axis) {
      const auto& positions = by_axis_[static_cast<std::size_t>(axis)];
      if (!positions[static_cast<std::size_t>(step)]
                    [static_cast<std::size_t>(shape_.coordinate(node, axis))])
        return false;
    }
    return true;
  }

 private:
  static std::vector<bool> spread(const std::vector<bool>& now, const PartStep& step) {
    std::vector<bool> next = now;
    step.for_each_request([&](int position, int keeper) {
      if (now[static_cast<std::size_t>(position)]) next[static_cast<std::size_t>(keeper)] = true;
    });
    return next;
  }

  const Shape& shape_;
  std::vector<std::vector<std::vector<bool>>> by_axis_;  // by axis, step and position
};

class ScatterMaker {
 public:
  ScatterMaker(const Shape& shape, const RootedTask& task,
               const std::function<int(NodeIndex)>& rank_of_node, std::optional<int> only)
      : shape_(shape),
        task_(task),
        rank_of_node_(rank_of_node),
        only_(only),
        rounds_{.ranks = static_cast<int>(shape.nodes()), .lockstep = true, .after_all = true} {}

  void add(const ScatterAllgather& colour, int first_piece) {
    const ReachedNodes reached(shape_, colour, task_.root);
    const int gathering = std::min(task_.scatter_steps, colour.length());
    const auto all = static_cast<std::size_t>(colour.length() + gathering);
    if (rounds_.rounds.size() < all) rounds_.rounds.resize(all);
    for (int step = 0; step < colour.length(); ++step) {
      const Step one{colour, reached, step, first_piece, gathering};
      if (only_) {
        add_step(one, *only_);
        add_askers(one, *only_);
        continue;
      }
      for (NodeIndex node = 0; node < shape_.nodes(); ++node) add_step(one, node);
    }
  }

  Rounds take() && {
    if (task_.flow == Flow::combine) go_backwards();
    // All ranks send the messages of a round in the same order, so that the same message arrives
    // everywhere at the same time.
    for (auto& round : rounds_.rounds) std::ranges::stable_sort(round, {}, &Exchange::sender);
    return std::move(rounds_);
  }

 private:
  struct Step {
    const ScatterAllgather& colour;
    const ReachedNodes& reached;
    int number;
    int first_piece;
    int gathering;

    const PartStep& step() const { return colour.step(number); }
  };

  // Adds the messages between a node and the nodes that keep parts which it lacks.
  void add_step(const Step& one, NodeIndex node) {
    const PartStep& step = one.step();
    const int position = shape_.coordinate(node, step.axis);
    for (int part = 0; part < step.parts; ++part) {
      const int there = step.source_of(position, part);
      if (there >= 0 && there != position) add_pair(one, node, at(node, step.axis, there));
    }
  }

  // Adds the messages between a node and all nodes that lack the part which it keeps.
  void add_askers(const Step& one, NodeIndex node) {
    const PartStep& step = one.step();
    const int own = shape_.coordinate(node, step.axis);
    for (int position = 0; position < shape_.extent(step.axis); ++position) {
      if (position != own && step.source_of(position, step.kept_by(own)) == own)
        add_pair(one, at(node, step.axis, position), node);
    }
  }

  // A node that was reached before this step sends the other node its part. A node that was not
  // gets the part during the all-gather.
  void add_pair(const Step& one, NodeIndex asks, NodeIndex keeps) {
    const bool was_reached = one.reached.before(one.number, asks);
    if (was_reached) add(one.number, asks, keeps, pieces_of(one, keeps));
    const int last = one.colour.length() + one.gathering - 1;
    if (!was_reached && one.number < one.gathering)
      add(last - one.number, keeps, asks, pieces_of(one, keeps));
  }

  // The pieces that a node has after a step of the scatter.
  BlockSet pieces_of(const Step& one, NodeIndex node) const {
    int first = 0, count = 1;
    for (int s = 0; s < one.gathering; ++s) {
      const PartStep& step = one.colour.step(s);
      const bool is_taken = s <= one.number;
      first *= step.parts;
      if (is_taken) first += step.kept_by(shape_.coordinate(node, step.axis));
      if (!is_taken) count *= step.parts;
    }
    return BlockSet::consecutive(one.first_piece + first, count);
  }

  NodeIndex at(NodeIndex node, int axis, int position) const {
    return node_above(shape_, axis, node, position - shape_.coordinate(node, axis));
  }

  void add(int round, NodeIndex from, NodeIndex to, BlockSet pieces) {
    Exchange& exchange = rounds_.rounds[static_cast<std::size_t>(round)].emplace_back();
    exchange.sender = rank_of_node_(from);
    exchange.receiver = rank_of_node_(to);
    exchange.blocks = std::move(pieces);
  }

  // Turns the broadcast into a reduce: the rounds in reverse, sender and receiver exchanged.
  void go_backwards() {
    std::ranges::reverse(rounds_.rounds);
    for (auto& round : rounds_.rounds) {
      for (Exchange& exchange : round) {
        std::swap(exchange.sender, exchange.receiver);
        exchange.combine = true;
      }
    }
  }

  const Shape& shape_;
  const RootedTask& task_;
  const std::function<int(NodeIndex)>& rank_of_node_;
  std::optional<int> only_;
  Rounds rounds_;
};

using Steps = std::vector<std::shared_ptr<const PartStep>>;

// The steps along each axis. Axes of equal extent, wrapping and root position share their steps.
std::vector<Steps> steps_along_axes(const Shape& shape, int parts, int direction, NodeIndex root) {
  std::vector<Steps> along;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const auto is_like = [&](int other) {
      return shape.extent(axis) == shape.extent(other) && shape.wraps(axis) == shape.wraps(other) &&
             shape.coordinate(root, axis) == shape.coordinate(root, other);
    };
    int like = 0;
    while (!is_like(like)) ++like;
    Steps steps;
    if (like == axis) {
      for (PartStep& step : part_steps(shape, axis, parts, direction, shape.coordinate(root, axis)))
        steps.push_back(std::make_shared<const PartStep>(std::move(step)));
    } else {
      for (const auto& known : along[static_cast<std::size_t>(like)]) {
        PartStep step = *known;
        step.axis = axis;
        steps.push_back(std::make_shared<const PartStep>(std::move(step)));
      }
    }
    along.push_back(std::move(steps));
  }
  return along;
}

ScatterAllgather beginning_with(int first_axis, const std::vector<Steps>& along) {
  ScatterAllgather colour;
  for (std::size_t step = 0, any = 1; any > 0; ++step) {
    any = 0;
    for (std::size_t turn = 0; turn < along.size(); ++turn) {
      const Steps& steps = along[(static_cast<std::size_t>(first_axis) + turn) % along.size()];
      if (step >= steps.size()) continue;
      colour.steps.push_back(steps[step]);
      ++any;
    }
  }
  return colour;
}

}  // namespace

int ScatterAllgather::pieces(int scatter_steps) const {
  int count = 1;
  for (int s = 0; s < std::min(scatter_steps, length()); ++s) count *= step(s).parts;
  return count;
}

int ScatterAllgather::most_scatter_steps() const {
  const auto uneven =
      std::ranges::find_if(steps, [](const auto& step) { return !step->in_all_classes; });
  return static_cast<int>(uneven - steps.begin());
}

std::vector<ScatterAllgather> scatter_allgathers(const Shape& shape, int parts, NodeIndex root) {
  std::vector<ScatterAllgather> colours;
  for (const int direction : {+1, -1}) {
    const auto along = steps_along_axes(shape, parts, direction, root);
    for (int axis = 0; axis < shape.dimensions(); ++axis) {
      if (shape.extent(axis) > 1) colours.push_back(beginning_with(axis, along));
    }
  }
  return colours;
}

Rounds scatter_allgather_rounds(const Shape& shape, std::span<const ScatterAllgather> colours,
                                const RootedTask& task,
                                const std::function<int(NodeIndex)>& rank_of_node,
                                std::optional<int> only) {
  ScatterMaker maker(shape, task, rank_of_node, only);
  int first_piece = 0;
  for (const ScatterAllgather& colour : colours) {
    maker.add(colour, first_piece);
    first_piece += colour.pieces(task.scatter_steps);
  }
  return std::move(maker).take();
}

}  // namespace cuboid::detail
