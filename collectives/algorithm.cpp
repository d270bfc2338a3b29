#include <cuboid/collectives/algorithm.hpp>
#include <cuboid/collectives/algorithms/families.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace cuboid {

std::size_t Call::bytes() const {
  const auto& blocks =
      operation() == Operation::allgather ? collective.output_blocks : collective.input_blocks;
  const std::size_t elements =
      blocks.counts.empty()
          ? collective.count
          : std::accumulate(blocks.counts.begin(), blocks.counts.end(), std::size_t{0});
  return elements * element_bytes();
}

Flow Call::flow() const {
  switch (operation()) {
    case Operation::reduce:
    case Operation::reduce_scatter: return Flow::combine;
    case Operation::allreduce: return Flow::combine_then_multicast;
    default: return Flow::multicast;
  }
}

bool Algorithm::serves(Operation operation) const {
  return std::ranges::find(operations, operation) != operations.end();
}

std::span<const Algorithm> algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> table;
    for (auto* family : {shape_algorithms, rounds_algorithms, tree_algorithms, nested_algorithms,
                         ring_algorithms, path_algorithms}) {
      std::ranges::move(family(), std::back_inserter(table));
    }
    return table;
  }();
  return all;
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto all = algorithms();
  const auto found = std::ranges::find(all, name, &Algorithm::name);
  return found == all.end() ? nullptr : &*found;
}

std::size_t sensible_segment(const Call& call, std::size_t bytes) {
  const std::size_t element = call.element_bytes();
  const std::size_t greatest =
      call.flow() == Flow::multicast ? greatest_segment : greatest_combined_segment;
  return std::max(std::clamp(bytes, least_segment, greatest) / element, std::size_t{1}) * element;
}

Quote quote_trees(const Call& call, TreeSteps steps, int trees) {
  const Hockney& network = call.surroundings.slowest();
  const double slice = static_cast<double>(call.bytes()) / trees;
  Quote quote;
  quote.settings.pipelining.segment_bytes =
      sensible_segment(call, best_segment(network, steps, slice));
  quote.seconds =
      pipelined_tree_seconds(network, steps, slice, quote.settings.pipelining.segment_bytes);
  return quote;
}

Quote quote_whole(const Call& call, double seconds) {
  Quote quote{{}, seconds};
  quote.settings.pipelining.segment_bytes = sensible_segment(call, greatest_segment);
  return quote;
}

}  // namespace cuboid
