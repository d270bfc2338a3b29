#include "collectives/algorithms/families.hpp"
#include "collectives/algorithms/round_seconds.hpp"
#include "collectives/rounds/swing.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

// How a butterfly exchanges a message.
struct Swinging {
  std::vector<Butterfly> butterflies;
  int scattering = 0;  ///< steps
  double seconds = 0;
};

std::vector<int> rank_of_node(const GroupNodes& group) {
  std::vector<int> ranks;
  for (const auto& on_node : group.ranks_of_node) ranks.push_back(on_node.front());
  return ranks;
}

// One rank on each node of a shape.
bool can_swing(const Call& call) {
  const GroupNodes& group = call.cost_model.nodes;
  return group.shape && group.nodes() > 1 && group.nodes() == call.ranks();
}

// The steps of both ways that begin with an axis, or of one way alone.
using Ways = std::span<const Butterfly>;

// How many messages the busiest link carries in a step.
double most_in_step(const Call& call, Ways ways, std::size_t s) {
  const GroupNodes& group = call.cost_model.nodes;
  const Shape& shape = *group.shape;
  const auto count = static_cast<int>(ways.size());
  const int axis = ways.front().steps[s].axis;
  const int others = ways.front().steps[s].radix - 1;
  const NodeIndex stride = shape.stride(axis);
  const auto rank_on = [&](NodeIndex node) {
    return group.ranks_of_node[static_cast<std::size_t>(node)].front();
  };
  const auto message = [&](int number) -> RoundMessage {
    const ButterflyStep& step = ways[static_cast<std::size_t>(number % count)].steps[s];
    const int node = number / count / others;
    const auto position = static_cast<int>(node / stride % shape.extent(axis));
    const int own = step.digit[static_cast<std::size_t>(position)];
    const int digit = (own + 1 + number / count % others) % step.radix;
    const int there = step.member[static_cast<std::size_t>(position * step.radix + digit)];
    return {rank_on(node), rank_on(node + (there - position) * stride)};
  };
  // On a ring two butterflies, one the other's mirror image, load all links alike.
  const double unevenness = shape.wraps(axis) && count == 2 ? 1 : 2;
  return most_on_a_link(call,
                        {count * group.nodes() * others, message, count * others, unevenness});
}

// What butterflies take, by the number of steps that scatter. Shares of a message that go along the
// same axis meet there. The n-th step along an axis is alike in all of them.
class SwingPrices {
 public:
  SwingPrices(const Call& call, std::span<const Butterfly> butterflies)
      : call_(call), at_once_(static_cast<double>(butterflies.size())) {
    const std::size_t ways = butterflies.size() > 1 ? 2 : 1;
    std::map<std::pair<int, int>, double> known;  // by axis and number of the step along it
    for (std::size_t first = 0; first < butterflies.size(); first += ways) {
      const Ways pair = butterflies.subspan(first, ways);
      auto& steps = pairs_.emplace_back();
      std::map<int, int> along;
      for (std::size_t s = 0; s < pair.front().steps.size(); ++s) {
        const ButterflyStep& step = pair.front().steps[s];
        const auto [found, is_new] = known.try_emplace({step.axis, along[step.axis]++}, 0);
        if (is_new) found->second = most_in_step(call, pair, s);
        steps.push_back({step.axis, step.radix, found->second});
      }
    }
  }

  double seconds(int scattering) const {
    const Hockney& network = call_.cost_model.slowest();
    const double share = static_cast<double>(call_.bytes()) / at_once_;
    const auto axes = static_cast<std::size_t>(call_.cost_model.nodes.shape->dimensions());
    std::vector<double> left(pairs_.size(), share);
    double seconds = 0;
    for (std::size_t s = 0; s < pairs_.front().size(); ++s) {
      const bool scatters = static_cast<int>(s) < scattering;
      std::vector<double> on_axis(axes, 0);
      double messages = 0, sent = 0;
      for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
        const StepLoad& step = pairs_[pair][s];
        if (scatters) left[pair] /= step.radix;
        on_axis[static_cast<std::size_t>(step.axis)] += step.on_link * left[pair];
        const double of_pair = at_once_ / static_cast<double>(pairs_.size()) * (step.radix - 1);
        messages += of_pair;
        sent += of_pair * left[pair];
      }
      const double one_way = network.alpha + call_.cost_model.network_overhead * (messages - 1) +
                             std::max(network.beta * std::ranges::max(on_axis),
                                      call_.cost_model.injection_seconds(sent));
      const double combine = call_.cost_model.node.beta * sent;
      seconds += (scatters ? 2 : 1) * one_way + combine;
    }
    return seconds;
  }

 private:
  struct StepLoad {
    int axis = 0;
    int radix = 2;
    double on_link = 1;
  };

  const Call& call_;
  double at_once_;
  std::vector<std::vector<StepLoad>> pairs_;  // by first axis
};

// The number of pieces that all ranks name: more gain nothing; shapes with large odd extents need
// as many.
constexpr std::int64_t enough_pieces = 1 << 12;
constexpr std::int64_t most_pieces = 1 << 14;

std::int64_t pieces_of(std::span<const Butterfly> butterflies, int scattering) {
  std::int64_t pieces = 0;
  for (const Butterfly& butterfly : butterflies) pieces += butterfly.pieces(scattering);
  return pieces;
}

std::optional<Swinging> best_with(const Call& call, std::span<const Butterfly> butterflies) {
  const auto steps = static_cast<int>(butterflies.front().steps.size());
  const int least = least_scattering(butterflies.front());
  if (pieces_of(butterflies, least) > most_pieces) return std::nullopt;
  const SwingPrices prices(call, butterflies);
  std::optional<Swinging> best;
  for (int scattering = least; scattering <= steps; ++scattering) {
    if (scattering > least && pieces_of(butterflies, scattering) > enough_pieces) break;
    const double seconds = prices.seconds(scattering);
    if (!best || seconds < best->seconds)
      best = Swinging{{butterflies.begin(), butterflies.end()}, scattering, seconds};
  }
  return best;
}

// All ways at once, or short messages one way.
std::optional<Swinging> swinging(const Call& call) {
  const std::vector<Butterfly> butterflies = swing_butterflies(*call.cost_model.nodes.shape);
  auto best = best_with(call, butterflies);
  const auto alone = best_with(call, std::span(butterflies).first(1));
  if (!best || (alone && alone->seconds < best->seconds)) best = alone;
  return best;
}

std::optional<CostEstimate> price_swing(const Call& call) {
  if (!can_swing(call)) return std::nullopt;
  const auto best = swinging(call);
  if (!best) return std::nullopt;
  const auto rounds =
      static_cast<double>(best->butterflies.front().steps.size()) + best->scattering;
  CostEstimate estimate = estimate_rounds(
      call, best->seconds,
      {.rounds = rounds, .messages = static_cast<double>(best->butterflies.size())});
  estimate.settings.colours = static_cast<int>(best->butterflies.size());
  return estimate;
}

Rounds rounds_of_swing(const Call& call, std::optional<int> node) {
  const GroupNodes& group = call.cost_model.nodes;
  const auto best = swinging(call);
  return butterfly_allreduce(*group.shape, best->butterflies, best->scattering, rank_of_node(group),
                             node);
}

RankPart part_of_swing(const Call& call, const Conditions&, const Settings&, int rank) {
  return rounds_of_swing(call, call.cost_model.nodes.node_of(rank));
}

std::vector<Piece> pieces_of_swing(const Call& call, const Conditions& conditions) {
  const auto best = swinging(call);
  return butterfly_pieces(best->butterflies, best->scattering, conditions.blocks.at(0).slice.bytes,
                          call.element_bytes());
}

}  // namespace

std::vector<Algorithm> swing_algorithms() {
  return {
      {"swing",
       "reduce-scatter and all-gather in few steps along all axes in both directions at once "
       "(Swing, recursive multiplying)",
       {Operation::allreduce},
       false,
       price_swing,
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return rounds_of_swing(call, std::nullopt);
       },
       part_of_swing,
       pieces_of_swing},
  };
}

}  // namespace cuboid::detail
