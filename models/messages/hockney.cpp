#include "models/messages/hockney.hpp"

#include "models/messages/tree_steps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cuboid::detail {

namespace {

double message(const Hockney& network, double bytes) {
  return network.alpha + network.beta * bytes;
}

}  // namespace

double binomial_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return steps_of_tree(ranks) * message(network, static_cast<double>(bytes));
}

double flat_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return (ranks - 1) * message(network, static_cast<double>(bytes));
}

double pipelined_chain_seconds(const Hockney& network, int ranks, std::size_t bytes,
                               std::size_t segment_bytes) {
  return ranks < 2 ? 0 : pipelined_trees_seconds(network, 1, ranks - 1, bytes, segment_bytes);
}

std::size_t best_chain_segment(const Hockney& network, int ranks, std::size_t bytes) {
  return best_tree_segment(network, 1, ranks - 1, bytes);
}

double pipelined_trees_seconds(const Hockney& network, int trees, int depth, std::size_t bytes,
                               std::size_t segment_bytes) {
  return pipelined_tree_seconds(network, {.first = static_cast<double>(depth), .gap = 1},
                                static_cast<double>(bytes) / trees, segment_bytes);
}

std::size_t best_tree_segment(const Hockney& network, int trees, int depth, std::size_t bytes) {
  return best_segment(network, {.first = static_cast<double>(depth), .gap = 1},
                      static_cast<double>(bytes) / trees);
}

double pipelined_tree_seconds(const Hockney& network, TreeSteps tree, double bytes,
                              std::size_t segment_bytes) {
  const double segments = std::max(1.0, std::ceil(bytes / static_cast<double>(segment_bytes)));
  return (tree.first + (segments - 1) * tree.gap) * message(network, bytes / segments);
}

std::size_t best_segment(const Hockney& network, TreeSteps tree, double bytes) {
  // Seconds by which the last byte is sooner if bytes could travel one by one.
  const double filling = (tree.first - tree.gap) * network.beta * bytes;
  const double ideal = filling > 0 ? std::sqrt(filling / (tree.gap * network.alpha)) : 1;
  const double segments = std::clamp(ideal, 1.0, std::max(1.0, bytes));
  // Segments and bytes are whole numbers: the cheaper of the two neighbours.
  const auto segment_of = [&](double count) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(bytes / count)));
  };
  const std::size_t longer = segment_of(std::floor(segments));
  const std::size_t shorter = segment_of(std::ceil(segments));
  const auto seconds = [&](std::size_t segment) {
    return pipelined_tree_seconds(network, tree, bytes, segment);
  };
  return seconds(shorter) < seconds(longer) ? shorter : longer;
}

double scatter_allgather_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return 2 * dissemination_allgather_seconds(network, ranks, bytes);
}

double recursive_doubling_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(ranks));
  const double steps =
      power_of_two ? steps_of_tree(ranks) : steps_of_tree(ranks) + 1;  // ⌊log2 p⌋ + 2
  return steps * message(network, static_cast<double>(bytes));
}

double dissemination_allgather_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return steps_of_tree(ranks) * network.alpha +
         (ranks - 1.0) / ranks * network.beta * static_cast<double>(bytes);
}

double ring_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return (ranks - 1) * message(network, static_cast<double>(bytes) / ranks);
}

}  // namespace cuboid::detail
