#include <cuboid/collectives/forests/rectangular.hpp>
#include <cuboid/collectives/selection.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace cuboid {

namespace {

// Shorter segments cost more in handling than they gain in pipelining; longer ones leave the
// caches.
constexpr std::size_t least_segment = 8 << 10;
constexpr std::size_t greatest_segment = 128 << 10;

std::size_t whole_elements(std::size_t bytes, std::size_t element_bytes) {
  return std::max(bytes / element_bytes, std::size_t{1}) * element_bytes;
}

std::size_t message_bytes(const Collective& collective) {
  const auto& blocks = collective.operation == Operation::allgather ? collective.output_blocks
                                                                    : collective.input_blocks;
  const std::size_t elements =
      blocks.counts.empty()
          ? collective.count
          : std::accumulate(blocks.counts.begin(), blocks.counts.end(), std::size_t{0});
  return elements * collective.type.bytes();
}

// Rectangular trees: as many links out of every node as there are colours, all busy at once.
void offer_rectangular(std::vector<Choice>& candidates, const Collective& collective,
                       std::size_t bytes, const Surroundings& surroundings) {
  const Shape& shape = surroundings.shape->shape;
  int colours = 0;
  int depth = 1;
  for (const Axis& axis : shape.axes()) {
    if (axis.extent > 1) colours += axis.wraps ? 2 : 1;
    depth += axis.extent - 1;
  }
  const std::size_t segment =
      whole_elements(std::clamp(best_tree_segment(surroundings.network, colours, depth, bytes),
                                least_segment, greatest_segment),
                     collective.type.bytes());
  const auto offer = [&](double seconds) {
    candidates.push_back({Algorithm::rectangular, {.segment_bytes = segment}, seconds});
  };
  const double once = pipelined_trees_seconds(surroundings.network, colours, depth, bytes, segment);
  switch (collective.operation) {
    case Operation::broadcast:
    case Operation::reduce:
    case Operation::allgather:
    case Operation::reduce_scatter:
      offer(once);
      break;
    case Operation::allreduce:
      offer(2 * once);
      break;
    default: break;
  }
}

bool keeps_rank_order(Algorithm algorithm) {
  return algorithm == Algorithm::in_order_tree || algorithm == Algorithm::recursive_doubling;
}

}  // namespace

std::string to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::direct: return "direct";
    case Algorithm::binomial: return "binomial";
    case Algorithm::chain: return "chain";
    case Algorithm::in_order_tree: return "in_order_tree";
    case Algorithm::ring: return "ring";
    case Algorithm::recursive_doubling: return "recursive_doubling";
    case Algorithm::dissemination: return "dissemination";
    case Algorithm::rectangular: return "rectangular";
  }
  return "unknown";
}

Choice select(const Collective& collective, int ranks, const Surroundings& surroundings) {
  const Hockney& network = surroundings.network;
  const std::size_t element = collective.type.bytes();
  const std::size_t bytes = message_bytes(collective);
  const std::size_t segment = whole_elements(
      std::clamp(best_chain_segment(network, ranks, bytes), least_segment, greatest_segment),
      element);
  const std::size_t long_segment = whole_elements(greatest_segment, element);

  std::vector<Choice> candidates;
  const auto offer = [&](Algorithm algorithm, std::size_t segment_bytes, double seconds) {
    candidates.push_back({algorithm, {.segment_bytes = segment_bytes}, seconds});
  };
  switch (collective.operation) {
    case Operation::barrier:
      offer(Algorithm::dissemination, long_segment, binomial_seconds(network, ranks, 0));
      break;
    case Operation::broadcast:
    case Operation::reduce:
      offer(Algorithm::binomial, long_segment, binomial_seconds(network, ranks, bytes));
      offer(Algorithm::chain, segment, pipelined_chain_seconds(network, ranks, bytes, segment));
      if (collective.operation == Operation::reduce) {
        offer(Algorithm::in_order_tree, long_segment, binomial_seconds(network, ranks, bytes));
      }
      break;
    case Operation::allreduce:
      offer(Algorithm::recursive_doubling, long_segment,
            recursive_doubling_seconds(network, ranks, bytes));
      offer(Algorithm::ring, long_segment, 2 * ring_seconds(network, ranks, bytes));
      offer(Algorithm::in_order_tree, long_segment, 2 * binomial_seconds(network, ranks, bytes));
      break;
    case Operation::allgather:
      offer(Algorithm::dissemination, long_segment,
            dissemination_allgather_seconds(network, ranks, bytes));
      offer(Algorithm::ring, long_segment, ring_seconds(network, ranks, bytes));
      break;
    case Operation::reduce_scatter:
      offer(Algorithm::ring, long_segment, ring_seconds(network, ranks, bytes));
      offer(Algorithm::in_order_tree, long_segment,
            ranks * binomial_seconds(network, ranks, bytes / static_cast<std::size_t>(ranks)));
      break;
    case Operation::gather:
    case Operation::scatter:
    case Operation::alltoall:
      offer(Algorithm::direct, long_segment, flat_seconds(network, ranks, bytes));
      break;
  }

  if (surroundings.shape && has_rectangular_trees(surroundings.shape->shape)) {
    offer_rectangular(candidates, collective, bytes, surroundings);
  }

  const bool any_order = !collective.reduction || collective.reduction->commutative();
  if (!any_order)
    std::erase_if(candidates, [](const Choice& c) { return !keeps_rank_order(c.algorithm); });
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const Choice& a, const Choice& b) { return a.seconds < b.seconds; });
}

}  // namespace cuboid
