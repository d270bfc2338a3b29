#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid {
namespace {

void check_slots(const ShapeSpec& network, int slots) {
  if (slots < 1 || network.shape.nodes() * slots > std::numeric_limits<int>::max()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} slots on each node of {}: needs at least one, and fewer than 2^31 in all",
                    slots, network.shape.to_string()));
  }
}

}  // namespace

Placement::Placement(ShapeSpec network, std::vector<Location> of_rank)
    : network_(std::move(network)), of_rank_(std::move(of_rank)) {
  if (of_rank_.empty())
    throw Error(ErrorCode::invalid_argument, "a placement has at least one rank");
  for (const auto& [node, slot] : of_rank_) {
    if (node < 0 || node >= shape().nodes() || slot < 0) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("a rank in slot {} of node {}: {} has nodes 0 to {}, slots count from 0",
                      slot, node, shape().to_string(), shape().nodes() - 1));
    }
    slots_ = std::max(slots_, slot + 1);
  }
  check_slots(network_, slots_);
  rank_at_.resize(static_cast<std::size_t>(shape().nodes() * slots_), -1);
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto& [node, slot] = of_rank_[static_cast<std::size_t>(rank)];
    int& here = rank_at_[static_cast<std::size_t>(node * slots_ + slot)];
    if (here >= 0) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("ranks {} and {} are both in slot {} of node {}", here, rank, slot, node));
    }
    here = rank;
  }
}

Placement Placement::by_node(const ShapeSpec& network, int slots) {
  check_slots(network, slots);
  std::vector<Location> of_rank;
  for (NodeIndex node = 0; node < network.shape.nodes(); ++node) {
    for (int slot = 0; slot < slots; ++slot) of_rank.push_back({node, slot});
  }
  return {network, std::move(of_rank)};
}

Placement Placement::round_robin(const ShapeSpec& network, int slots) {
  check_slots(network, slots);
  std::vector<Location> of_rank;
  for (int slot = 0; slot < slots; ++slot) {
    for (NodeIndex node = 0; node < network.shape.nodes(); ++node) of_rank.push_back({node, slot});
  }
  return {network, std::move(of_rank)};
}

Placement Placement::flat(int ranks) {
  return by_node({}, ranks);
}

Location Placement::location(int rank) const {
  if (rank < 0 || rank >= ranks()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rank {} of {} has no place", rank, ranks()));
  }
  return of_rank_[static_cast<std::size_t>(rank)];
}

std::optional<int> Placement::rank(const Location& location) const {
  const auto& [node, slot] = location;
  if (node < 0 || node >= shape().nodes() || slot < 0 || slot >= slots_) return std::nullopt;
  const int rank = rank_at_[static_cast<std::size_t>(node * slots_ + slot)];
  return rank < 0 ? std::nullopt : std::optional(rank);
}

}  // namespace cuboid
