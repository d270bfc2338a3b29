#include "collectives/evaluation/segments.hpp"

#include <algorithm>

namespace cuboid::detail {

std::size_t greatest_segment_of(const Call& call) {
  if (call.flow() != Flow::multicast) return greatest_combined_segment;
  return call.on_one_node() ? greatest_segment_in_node : greatest_segment;
}

// Shorter segments may pay across a network, between ranks that have a core each.
std::size_t least_segment_of(const Call& call) {
  const bool may_be_short = !call.on_one_node() && call.cost_model.ranks_per_core <= 1;
  return may_be_short ? least_segment / 4 : least_segment;
}

Pipelining in_segments(const Call& call, const Pipelining& usual, std::size_t slice,
                       std::size_t bytes) {
  const std::size_t segment = whole_elements(call, bytes);
  Pipelining pipelining = usual;
  if (call.on_one_node()) {
    pipelining = pipelining_in_node(call.flow(), segment);
  } else if (call.most_on_a_node() > 1) {
    pipelining.segments_per_bundle = sensible_bundle(segment, static_cast<double>(slice));
  }
  pipelining.segment_bytes = segment;
  return pipelining;
}

std::size_t whole_elements(const Call& call, std::size_t bytes) {
  const std::size_t element = call.element_bytes();
  return std::max(bytes / element, std::size_t{1}) * element;
}

int sensible_bundle(std::size_t segment_bytes, double slice) {
  constexpr double long_for_memory = 256 << 10;
  const double bundle = std::min(long_for_memory, slice / 4) / static_cast<double>(segment_bytes);
  return static_cast<int>(std::max(bundle, 1.0));
}

Pipelining pipelining_in_node(Flow flow, std::size_t segment) {
  Pipelining pipelining;
  pipelining.segment_bytes = segment;
  if (flow != Flow::multicast) {
    pipelining.segments_in_flight = static_cast<int>(std::clamp<std::size_t>(
        combined_in_flight / segment, 2, static_cast<std::size_t>(pipelining.segments_in_flight)));
  }
  return pipelining;
}

namespace {

// Bytes of a run over a network: worth its start, and short enough for the next round to begin with
// the first run while the last is in flight.
constexpr std::size_t long_in_rounds = 64 << 10;
// The most runs of a message: each is a step of a rank's plan, so runs of very long messages are
// longer.
constexpr std::size_t enough_runs = 1024;

}  // namespace

Pipelining pipelining_in_rounds(const Call& call) {
  Pipelining pipelining;
  if (!call.on_one_node()) {
    pipelining.segment_bytes =
        whole_elements(call, std::max(long_in_rounds, call.bytes() / enough_runs));
  } else if (call.flow() == Flow::combine) {
    pipelining = pipelining_in_node(call.flow(), whole_elements(call, greatest_combined_segment));
  } else {
    pipelining.segment_bytes = whole_elements(call, greatest_segment);
  }
  return pipelining;
}

}  // namespace cuboid::detail
