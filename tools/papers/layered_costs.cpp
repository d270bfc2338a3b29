#include "tools/papers/layered_costs.hpp"

#include "models/messages/torus_costs.hpp"

#include <cmath>

namespace cuboid::detail {

double LayeredProblem::side() const {
  return std::sqrt(ranks / layers);
}

LayeredWords layered_multiplication_words(const LayeredProblem& problem) {
  const auto [n, P, c] = problem;
  LayeredWords words;
  if (c > 1) {
    words.replicate = 2 * n * n * c / P;
    words.reduce = n * n * c / P;
  }
  if (P > c) words.steps = 2 * n * n / std::sqrt(c * P);
  return words;
}

double layered_multiplication_seconds(const LayeredProblem& problem, double element_bytes,
                                      const LayeredRates& rates) {
  const LayeredWords words = layered_multiplication_words(problem);
  return element_bytes * (words.replicate / rates.multicast + words.steps / rates.shift +
                          words.reduce / rates.reduction);
}

namespace {

/// A binomial scatter, then an all-gather round the ring: nearly all bytes cross a rank's link
/// twice.
double scatter_allgather_seconds(const LogGP& network, double extent, double bytes) {
  if (extent <= 1) return 0;
  const Hockney messages = hockney(network);
  return (std::log2(extent) + extent - 1) * messages.alpha +
         2 * (extent - 1) / extent * bytes * messages.beta;
}

}  // namespace

double line_seconds(const LogGP& network, LineCollective collective, double extent, double bytes) {
  const Partition line = cube(extent, 1);
  switch (collective) {
    case LineCollective::rectangular: return rectangular_multicast_seconds(network, line, bytes);
    case LineCollective::binomial: return binomial_multicast_seconds(network, line, bytes);
    default: return scatter_allgather_seconds(network, extent, bytes);
  }
}

double line_peak(const LogGP& network, LineCollective collective, double extent) {
  const double both_ways = 2 / network.byte_gap;
  switch (collective) {
    case LineCollective::rectangular: return both_ways;
    case LineCollective::binomial: return both_ways / std::log2(extent);
    default: return extent / (extent - 1) / (2 * network.byte_gap);
  }
}

LayeredLuSeconds layered_lu_seconds(const LogGP& network, LineCollective collective,
                                    const LayeredProblem& problem, double element_bytes) {
  const auto [n, P, c] = problem;
  const double side = problem.side();
  const double steps = std::sqrt(P * c);
  const double block = n / steps;
  const auto along = [&](double extent, double elements) {
    return line_seconds(network, collective, extent, elements * element_bytes);
  };
  LayeredLuSeconds seconds{.diagonal = steps * 2 * along(side, block * block),
                           .to_layers = steps * along(c, block * block)};
  for (double step = 1; step < steps; ++step) {
    const double left = n - step * block;
    seconds.panels += 2 * along(side, left * block / side) / c;
    seconds.schur += 2 * along(c, 2 * left * block / (side * side));
  }
  return seconds;
}

double parallel_efficiency(double compute_seconds, double communicate_seconds) {
  const double all = compute_seconds + communicate_seconds;
  return all > 0 ? compute_seconds / all : 1;
}

}  // namespace cuboid::detail
