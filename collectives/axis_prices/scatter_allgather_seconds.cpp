#include "collectives/axis_prices/scatter_allgather_seconds.hpp"

#include "collectives/butterflies/link_loads.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>

namespace cuboid::detail {

namespace {

// A node that passes on messages of one colour waits for others': for so much of each that it
// sends, and of one more.
constexpr double part_of_others = 0.25;
// Whoever is reached early gathers early, which delays what still spreads: for each part that is
// asked for, so much of what travels while all gather, shared by the axes.
constexpr double part_delayed_by_early_ones = 0.2;
// Whoever is reached over fewer links is early by what the others take, too: at most so much of
// what travels while all gather is delayed then.
constexpr double part_delayed_by_near_ones = 0.7;

// What the steps along an axis are to its links, step by step. The root is the first position.
class AxisLoads {
 public:
  AxisLoads(const Shape& shape, int axis, const GroupCostModel& cost_model)
      : shape_(shape),
        axis_(axis),
        cost_model_(cost_model),
        arrival_(static_cast<std::size_t>(shape.extent(axis)), 0) {}

  /// The next step, in one direction or both.
  ScatterAllgatherPrices::StepLoad next(std::span<const PartStep* const> ways) {
    const int extent = shape_.extent(axis_);
    ScatterAllgatherPrices::StepLoad load{.axis = axis_, .parts = ways.front()->parts};
    LinkLoads gathering(extent, shape_.wraps(axis_)), spreading = gathering;
    reached_.resize(ways.size(), only_the_first());
    for (std::size_t way = 0; way < ways.size(); ++way) {
      std::vector<bool> next = reached_[way];
      ways[way]->for_each_request([&](int position, int keeper) {
        gathering.add(keeper, position);
        load.farthest = std::max(load.farthest, links_between(position, keeper));
        if (!reached_[way][static_cast<std::size_t>(position)]) return;
        spreading.add(position, keeper);
        next[static_cast<std::size_t>(keeper)] = true;
      });
      if (way == 0) load.spreading = spread(*ways[way]);
      reached_[way] = std::move(next);
    }
    load.on_link = gathering.most();
    load.from_root = spreading.most();
    return load;
  }

 private:
  std::vector<bool> only_the_first() const {
    std::vector<bool> reached(arrival_.size(), false);
    reached.front() = true;
    return reached;
  }

  // How much later the last of those is reached that are reached by then. One after the other they
  // leave who sends them.
  double spread(const PartStep& step) {
    const double before = std::ranges::max(arrival_);
    step.for_each_request([&](int position, int keeper) {
      if (!reached_.front()[static_cast<std::size_t>(position)]) return;
      double& ready = arrival_[static_cast<std::size_t>(position)];
      arrival_[static_cast<std::size_t>(keeper)] =
          ready + cost_model_.slowest().alpha +
          cost_model_.hop_seconds * (links_between(position, keeper) - 1);
      ready += cost_model_.network_overhead / 2;
    });
    return std::ranges::max(arrival_) - before;
  }

  int links_between(int from, int to) const {
    return links_along(shape_.axes()[static_cast<std::size_t>(axis_)], from, to);
  }

  const Shape& shape_;
  int axis_;
  const GroupCostModel& cost_model_;
  std::vector<double> arrival_;             // by position
  std::vector<std::vector<bool>> reached_;  // by direction and position
};

}  // namespace

ScatterAllgatherPrices::ScatterAllgatherPrices(const Call& call,
                                               std::span<const ScatterAllgather> colours)
    : call_(call),
      axes_(colours.size() / 2),
      one_way_(pairs_of(colours, 1)),
      both_ways_(pairs_of(colours, 2)) {}

ScatterAllgatherPrices::Pairs ScatterAllgatherPrices::pairs_of(
    std::span<const ScatterAllgather> colours, int directions) const {
  const Shape& shape = *call_.cost_model.nodes.shape;
  std::vector<AxisLoads> links;
  for (int axis = 0; axis < shape.dimensions(); ++axis)
    links.emplace_back(shape, axis, call_.cost_model);
  std::vector<std::vector<StepLoad>> along(links.size());
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

std::vector<ScatterAllgatherPrices::Load> ScatterAllgatherPrices::loads(std::size_t colours,
                                                                        int scattering) const {
  const auto axes = static_cast<std::size_t>(call_.cost_model.nodes.shape->dimensions());
  const Pairs& pairs = colours > axes_ ? both_ways_ : one_way_;
  const std::size_t number = std::min(colours, axes_);
  const double of_pair = static_cast<double>(colours) / static_cast<double>(number);
  std::vector<double> left(number,
                           static_cast<double>(call_.bytes()) / static_cast<double>(colours));
  std::vector<Load> loads(pairs.front().size());
  for (std::size_t s = 0; s < loads.size(); ++s) {
    Load& load = loads[s];
    load.returns = static_cast<int>(s) < scattering;
    std::vector<double> on_axis(axes, 0), from_root(axes, 0);
    for (std::size_t pair = 0; pair < number; ++pair) {
      const StepLoad& step = pairs[pair][s];
      if (load.returns) left[pair] /= step.parts;
      const auto axis = static_cast<std::size_t>(step.axis);
      on_axis[axis] += step.on_link * left[pair];
      from_root[axis] += step.from_root * left[pair];
      load.farthest = std::max<double>(load.farthest, step.farthest);
      load.spreading = std::max(load.spreading, step.spreading);
      load.longest = std::max(load.longest, left[pair]);
      const double others = step.parts - 1;
      load.sent = std::max(load.sent, others);
      load.messages += of_pair * others;
      load.received += of_pair * others * left[pair];
    }
    load.on_link = std::ranges::max(on_axis);
    load.from_root = std::ranges::max(from_root);
  }
  return loads;
}

double ScatterAllgatherPrices::latency(const Load& load) const {
  return call_.cost_model.slowest().alpha + call_.cost_model.hop_seconds * (load.farthest - 1);
}

double ScatterAllgatherPrices::travelling(const Load& load, double on_link) const {
  return std::max(call_.cost_model.slowest().beta * on_link,
                  call_.cost_model.injection_seconds(load.received));
}

// The last message leaves when all have been sent; by then others are on their way.
double ScatterAllgatherPrices::gathered_in(const Load& load) const {
  const double sending = overhead_of_an_end() * (load.messages - 1);
  const double alone = call_.cost_model.slowest().beta * load.longest;
  return std::max(
      handled(load),
      latency(load) + std::max(sending + alone, sending / 2 + travelling(load, load.on_link)));
}

// Nothing where one step along each axis reaches all. A reduce gathers first.
double ScatterAllgatherPrices::met_by_early_ones() const {
  const std::vector<StepLoad>& steps = one_way_.front();
  if (call_.flow() == Flow::combine || steps.size() == axes_) return 0;
  return part_delayed_by_early_ones * (steps.front().parts - 1) / static_cast<double>(axes_);
}

// First it spreads: the root sends for all colours, whoever is reached for one. Then all gather
// what was scattered.
double ScatterAllgatherPrices::seconds(std::size_t colours, int scattering) const {
  const double each = overhead_of_an_end();
  const double waiting = colours > 1 ? part_of_others * each : 0;
  double root_busy = 0, from_root = 0, reached = 0, gathering = 0;
  double further = 0, all_travelling = 0;
  for (const Load& load : loads(colours, scattering)) {
    const double combining =
        call_.flow() == Flow::combine ? call_.cost_model.node.beta * load.received : 0;
    const double alone = call_.cost_model.slowest().beta * load.longest;
    const double on_way =
        std::max(alone, travelling(load, load.from_root) - each * (load.sent - 1) / 2);
    root_busy += each * load.messages;
    from_root = root_busy - each + latency(load) + alone;
    reached = std::max(reached + load.spreading + waiting * (load.sent + 1) + on_way, from_root) +
              combining;
    further += latency(load) - call_.cost_model.slowest().alpha;
    if (!load.returns) continue;
    all_travelling += travelling(load, load.on_link);
    const double beyond_handling = std::max(travelling(load, load.on_link) - handled(load), 0.0);
    gathering += gathered_in(load) + combining + met_by_early_ones() * beyond_handling;
  }
  if (call_.flow() == Flow::multicast)
    gathering += std::min(further, part_delayed_by_near_ones * all_travelling);
  // The last that the root sends come where those of all colours do.
  return std::max(reached, from_root + each * static_cast<double>(colours - 1)) + gathering;
}

}  // namespace cuboid::detail
