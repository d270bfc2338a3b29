#include "models/simulator/copies.hpp"

#include "models/simulator/simulator.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace cuboid::detail {

namespace {

bool any_limit(const Platform& platform) {
  return platform.within_node.byte_gap > 0 &&
         (platform.memory_bytes_per_second > 0 || platform.source_bytes_per_second > 0);
}

double limit_or_none(double bytes_per_second) {
  return bytes_per_second > 0 ? bytes_per_second : std::numeric_limits<double>::max();
}

// The rates by receiving rank, then by source rank, then by node.
std::vector<double> rates(const Platform& platform) {
  const std::size_t ranks = platform.node_of_rank.size();
  const auto nodes = static_cast<std::size_t>(platform.routes.network().nodes());
  std::vector<double> rates(ranks, 1 / platform.within_node.byte_gap);
  rates.resize(2 * ranks, limit_or_none(platform.source_bytes_per_second));
  rates.resize(2 * ranks + nodes, limit_or_none(platform.memory_bytes_per_second));
  return rates;
}

}  // namespace

Copies::Copies(const TransferGraph& graph, const Platform& platform, EventQueue& events)
    : graph_(graph),
      platform_(platform),
      events_(events),
      shared_(any_limit(platform)),
      shares_(shared_ ? rates(platform) : std::vector<double>{}),
      copies_(shared_ ? platform.node_of_rank.size() : 0) {}

void Copies::begin(TransferGraph::Id id, double now) {
  const Transfer& transfer = graph_[id];
  const int ranks = static_cast<int>(platform_.node_of_rank.size());
  const int node = platform_.node_of_rank[static_cast<std::size_t>(transfer.to)];
  const auto receiver = static_cast<std::uint32_t>(transfer.to);
  Copy& copy = copies_[receiver];
  copy = {.transfer = id,
          .shares = {transfer.to, ranks + transfer.from, 2 * ranks + node},
          .left = transfer.bytes,
          .since = now,
          .version = copy.version + 1};
  shares_.begin(receiver, copy.shares, 0);
}

bool Copies::copied(std::uint32_t receiver, std::uint32_t version) {
  if (copies_[receiver].version != version) return false;
  shares_.end(receiver);
  return true;
}

void Copies::update_rates(double now) {
  if (!shared_) return;
  shares_.update([&](std::size_t receiver, double rate) {
    Copy& copy = copies_[receiver];
    copy.left = std::max(copy.left - copy.rate * (now - copy.since), 0.0);
    copy.since = now;
    copy.rate = rate;
    events_.add(now + copy.left / rate, SimulationEvent::Kind::copied,
                static_cast<std::uint32_t>(receiver), ++copy.version);
  });
}

}  // namespace cuboid::detail
