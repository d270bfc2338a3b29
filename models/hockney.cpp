#include <cuboid/models/hockney.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace cuboid {

namespace {

double ceil_log2(int ranks) {
  return static_cast<double>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

double message(const Hockney& network, double bytes) {
  return network.alpha + network.beta * bytes;
}

}  // namespace

double binomial_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return ceil_log2(ranks) * message(network, static_cast<double>(bytes));
}

double flat_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return (ranks - 1) * message(network, static_cast<double>(bytes));
}

double pipelined_chain_seconds(const Hockney& network, int ranks, std::size_t bytes,
                               std::size_t segment_bytes) {
  if (ranks < 2) return 0;
  const double segments =
      std::max(1.0, std::ceil(static_cast<double>(bytes) / static_cast<double>(segment_bytes)));
  return (ranks - 2 + segments) * message(network, static_cast<double>(bytes) / segments);
}

std::size_t best_chain_segment(const Hockney& network, int ranks, std::size_t bytes) {
  const double total = static_cast<double>(bytes);
  const double segments = std::sqrt(std::max(0, ranks - 2) * network.beta * total / network.alpha);
  return static_cast<std::size_t>(std::max(1.0, total / std::max(1.0, segments)));
}

double recursive_doubling_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(ranks));
  const double steps = power_of_two ? ceil_log2(ranks) : ceil_log2(ranks) + 1;  // ⌊log2 p⌋ + 2
  return steps * message(network, static_cast<double>(bytes));
}

double dissemination_allgather_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return ceil_log2(ranks) * network.alpha +
         (ranks - 1.0) / ranks * network.beta * static_cast<double>(bytes);
}

double ring_seconds(const Hockney& network, int ranks, std::size_t bytes) {
  return (ranks - 1) * message(network, static_cast<double>(bytes) / ranks);
}

}  // namespace cuboid
