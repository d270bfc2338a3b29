#include "models/simulator/connections.hpp"

#include <cuboid/error.hpp>

#include "models/messages/usual_parameters.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

double slowest_link(const Network& network) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const Link& link : network.links()) slowest = std::min(slowest, link.bytes_per_second);
  return slowest;
}

// A limit matters only if the links of some node together carry more than the limit.
bool limits(const Platform& platform, const std::vector<double>& rates) {
  if (platform.injection_bytes_per_second <= 0) return false;
  const Network& network = platform.routes.network();
  for (int node = 0; node < network.nodes(); ++node) {
    double sum = 0;
    for (const int link : network.links_from(node)) sum += rates[static_cast<std::size_t>(link)];
    if (sum > platform.injection_bytes_per_second) return true;
  }
  return false;
}

}  // namespace

std::vector<double> link_rates(const Platform& platform) {
  const Network& network = platform.routes.network();
  const double slowest = slowest_link(network);
  const double G = platform.between_nodes.byte_gap;
  std::vector<double> rates;
  for (const Link& link : network.links()) {
    double rate = link.bytes_per_second;
    if (G > 0) rate = slowest > 0 ? rate / slowest / G : 1 / G;
    if (rate <= 0) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("simulation: the rate of the link from {} to {} is unknown; give it, "
                              "or a time per byte",
                              network.name(link.from), network.name(link.to)));
    }
    rates.push_back(rate);
  }
  return rates;
}

Connections::Connections(const TransferGraph& graph, const Platform& platform, EventQueue& events,
                         SimulatedRun& run)
    : graph_(graph),
      platform_(platform),
      events_(events),
      run_(run),
      rates_(link_rates(platform)),
      limited_(limits(platform, rates_)),
      shares_(make_shares()),
      buckets_(shares_, rates_, platform.burst_bytes) {
  run_.link_bytes.assign(rates_.size(), 0.0);
}

FairShares Connections::make_shares() {
  std::vector<double> rates = rates_;
  if (limited_) {
    // Additional links stand for the limits: one out of each node, and one into each.
    rates.resize(rates.size() + 2 * static_cast<std::size_t>(platform_.routes.network().nodes()),
                 platform_.injection_bytes_per_second);
  }
  return FairShares(std::move(rates), platform_.incast_loss);
}

void Connections::enter(TransferGraph::Id id, double now) {
  const std::uint32_t number = connection(graph_[id]);
  Connection& entered = connections_[number];
  if (platform_.earliest_first && entered.next < entered.queue.size()) {
    entered.waiting.push_back(id);
    std::ranges::push_heap(entered.waiting, std::greater());
    return;
  }
  entered.queue.push_back(id);
  if (entered.queue.size() == entered.next + 1) start_next(number, now);
}

void Connections::drained(std::uint32_t number, std::uint32_t version, double now) {
  Connection& connection = connections_[number];
  if (version != connection.version) return;
  const TransferGraph::Id id = connection.queue[connection.next++];
  run_.transfers[id].drained = now;
  for (const int link : route_of(connection))
    run_.link_bytes[static_cast<std::size_t>(link)] += graph_[id].bytes;
  const double further = static_cast<double>(route_of(connection).size()) - 1;
  events_.add(now + platform_.between_nodes.latency + platform_.hop_seconds * further,
              SimulationEvent::Kind::arrived, id);
  if (!connection.waiting.empty()) {
    std::ranges::pop_heap(connection.waiting, std::greater());
    connection.queue.push_back(connection.waiting.back());
    connection.waiting.pop_back();
  }
  if (connection.next < connection.queue.size()) {
    start_next(number, now);
    return;
  }
  connection.queue.clear();
  connection.next = 0;
  if (!connection.flows) return;
  connection.flows = false;
  shares_.end(number);
  buckets_.end(connection.links);
}

void Connections::update_rates(double now) {
  do {
    shares_.update([&](std::size_t connection, double rate) { set_rate(connection, rate, now); });
  } while (buckets_.any() && buckets_.settle(now));
  if (!buckets_.any()) return;
  for (const auto& [link, time, version] : buckets_.emptying(now))
    events_.add(time, SimulationEvent::Kind::emptied, static_cast<std::uint32_t>(link), version);
}

double Connections::busiest_link_seconds() const {
  double busiest = 0;
  for (std::size_t link = 0; link < rates_.size(); ++link)
    busiest = std::max(busiest, run_.link_bytes[link] / rates_[link]);
  return busiest;
}

std::uint32_t Connections::connection(const Transfer& transfer) {
  const std::uint64_t pair =
      static_cast<std::uint64_t>(transfer.from) << 32 | static_cast<std::uint32_t>(transfer.to);
  const auto [found, is_new] =
      numbers_.try_emplace(pair, static_cast<std::uint32_t>(connections_.size()));
  if (!is_new) return found->second;
  Connection& connection = connections_.emplace_back();
  const int from = platform_.node_of_rank[static_cast<std::size_t>(transfer.from)];
  const int to = platform_.node_of_rank[static_cast<std::size_t>(transfer.to)];
  platform_.routes.append(from, to, connection.links);
  if (limited_) {
    const int links = static_cast<int>(rates_.size());
    connection.links.push_back(links + 2 * from);
    connection.links.push_back(links + 2 * to + 1);
  }
  return found->second;
}

// The links of a connection, without the links that stand for nodes' limits.
std::span<const int> Connections::route_of(const Connection& connection) const {
  return std::span(connection.links).first(connection.links.size() - (limited_ ? 2 : 0));
}

// A connection that goes on with its next message keeps its rate, and so do others, unless it
// begins to fill the queues of its links.
void Connections::start_next(std::uint32_t number, double now) {
  Connection& connection = connections_[number];
  const TransferGraph::Id id = connection.queue[connection.next];
  run_.transfers[id].departed = now;
  const double G = platform_.between_nodes.byte_gap;
  connection.left = graph_[id].bytes;
  if (platform_.segment_seconds > 0)
    connection.left +=
        platform_.segment_seconds * (G > 0 ? 1 / G : shares_.capacity(connection.links.front()));
  connection.since = now;
  connection.sent += graph_[id].bytes;
  const bool fills_queues = connection.sent > usual_queue_bytes;
  if (connection.left == 0) {
    expect_end(number, 0, now);
  } else if (connection.flows && connection.fills_queues == fills_queues) {
    expect_end(number, connection.left / connection.rate, now);
  } else {
    if (std::exchange(connection.flows, true)) shares_.end(number);
    connection.fills_queues = fills_queues;
    connection.rate = 0;
    buckets_.begin(connection.links, now);
    shares_.begin(number, connection.links, fills_queues ? route_of(connection).size() : 0);
  }
}

void Connections::expect_end(std::uint32_t number, double seconds, double now) {
  events_.add(now + seconds, SimulationEvent::Kind::drained, number,
              ++connections_[number].version);
}

void Connections::set_rate(std::size_t number, double rate, double now) {
  Connection& connection = connections_[number];
  connection.left = std::max(connection.left - connection.rate * (now - connection.since), 0.0);
  connection.since = now;
  connection.rate = rate;
  buckets_.touch(connection.links);
  expect_end(static_cast<std::uint32_t>(number), connection.left / rate, now);
}

}  // namespace cuboid::detail
