#include "collectives/algorithms/scatter_loads.hpp"

#include "collectives/butterflies/butterfly_links.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

namespace {

// Counts what the steps along an axis load its links with, step by step. The root is the first
// position.
class AxisLoads {
 public:
  AxisLoads(const Shape& shape, int axis)
      : axis_(axis), of_axis_(shape.axes()[static_cast<std::size_t>(axis)]) {}

  /// The next step, in one direction or both.
  ScatterLoads::ScatterStepLoad next(std::span<const PartStep* const> ways) {
    ScatterLoads::ScatterStepLoad load{.axis = axis_, .parts = ways.front()->parts};
    LinkLoads gathering(of_axis_.extent, of_axis_.wraps), spreading = gathering;
    reached_.resize(ways.size(), only_the_first());
    for (std::size_t way = 0; way < ways.size(); ++way) {
      std::vector<bool> next = reached_[way];
      ways[way]->for_each_request([&](int position, int keeper) {
        gathering.add(keeper, position);
        load.farthest = std::max(load.farthest, links_along(of_axis_, position, keeper));
        if (!reached_[way][static_cast<std::size_t>(position)]) return;
        spreading.add(position, keeper);
        next[static_cast<std::size_t>(keeper)] = true;
      });
      reached_[way] = std::move(next);
    }
    load.on_link = gathering.most();
    load.from_root = spreading.most();
    return load;
  }

 private:
  std::vector<bool> only_the_first() const {
    std::vector<bool> reached(static_cast<std::size_t>(of_axis_.extent), false);
    reached.front() = true;
    return reached;
  }

  int axis_;
  Axis of_axis_;
  std::vector<std::vector<bool>> reached_;  // by direction and position
};

}  // namespace

ScatterLoads::ScatterLoads(const Call& call, std::span<const ScatterAllgather> colours)
    : shape_axes_(static_cast<std::size_t>(call.cost_model.nodes.shape->dimensions())),
      axes_(colours.size() / 2),
      bytes_(static_cast<double>(call.bytes())),
      combines_(call.flow() == Flow::combine),
      one_way_(pairs_of(*call.cost_model.nodes.shape, colours, 1)),
      both_ways_(pairs_of(*call.cost_model.nodes.shape, colours, 2)) {}

ScatterLoads::Pairs ScatterLoads::pairs_of(const Shape& shape,
                                           std::span<const ScatterAllgather> colours,
                                           int directions) const {
  std::vector<AxisLoads> links;
  for (int axis = 0; axis < shape.dimensions(); ++axis) links.emplace_back(shape, axis);
  std::vector<std::vector<ScatterStepLoad>> along(links.size());
  for (std::size_t s = 0; s < colours.front().steps.size(); ++s) {
    std::vector<const PartStep*> ways{colours.front().steps[s].get()};
    if (directions == 2) ways.push_back(colours[axes_].steps[s].get());
    const auto axis = static_cast<std::size_t>(ways.front()->axis);
    along[axis].push_back(links[axis].next(ways));
  }
  Pairs pairs;
  for (const ScatterAllgather& colour : colours.first(axes_)) {
    std::vector<std::size_t> taken(along.size(), 0);
    auto& steps = pairs.emplace_back();
    for (const auto& step : colour.steps) {
      const auto axis = static_cast<std::size_t>(step->axis);
      steps.push_back(along[axis][taken[axis]++]);
    }
  }
  return pairs;
}

// First the message is scattered from the root, then all gather what was scattered.
std::vector<RoundLoad> ScatterLoads::of(std::size_t colours, int scatter_steps) const {
  const Pairs& pairs = colours > axes_ ? both_ways_ : one_way_;
  const std::size_t number = std::min(colours, axes_);
  const double of_pair = static_cast<double>(colours) / static_cast<double>(number);
  std::vector<double> left(number, bytes_ / static_cast<double>(colours));
  std::vector<RoundLoad> loads;
  for (std::size_t s = 0; s < pairs.front().size(); ++s) {
    const bool returns = static_cast<int>(s) < scatter_steps;
    RoundLoad spreads;
    RoundLoad gathers;
    std::vector<double> on_axis(shape_axes_, 0), from_root(shape_axes_, 0);
    for (std::size_t pair = 0; pair < number; ++pair) {
      const ScatterStepLoad& step = pairs[pair][s];
      if (returns) left[pair] /= step.parts;
      const auto axis = static_cast<std::size_t>(step.axis);
      on_axis[axis] += step.on_link * left[pair];
      from_root[axis] += step.from_root * left[pair];
      spreads.links = std::max<double>(spreads.links, step.farthest);
      spreads.longest = std::max(spreads.longest, left[pair]);
      const double others = step.parts - 1;
      spreads.messages += of_pair * others;
      gathers.received += of_pair * others * left[pair];
    }
    spreads.on_link = std::ranges::max(from_root);
    if (combines_) spreads.copied = gathers.received;
    loads.push_back(spreads);
    if (!returns) continue;
    gathers.links = spreads.links;
    gathers.longest = spreads.longest;
    gathers.messages = spreads.messages;
    gathers.on_link = std::ranges::max(on_axis);
    gathers.copied = spreads.copied;
    loads.push_back(gathers);
  }
  return loads;
}

}  // namespace cuboid::detail
