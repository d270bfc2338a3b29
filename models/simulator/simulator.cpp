#include "models/simulator/simulator.hpp"

#include <cuboid/error.hpp>

#include "models/simulator/fair_shares.hpp"
#include "models/simulator/shared_cores.hpp"
#include "models/simulator/token_buckets.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

using Id = TransferGraph::Id;

double slowest_link(const Network& network) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const Link& link : network.links()) slowest = std::min(slowest, link.bytes_per_second);
  return slowest;
}

// A measured G is what is left of the slowest link's rate: the others lose as much.
std::vector<double> capacities(const Platform& platform) {
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

// Where a node's links together carry no more than the node itself, there is no limit to speak of.
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

// Messages of one rank to another.
struct Connection {
  std::vector<int> links;  // and, where nodes have limits, out of the one and into the other
  std::vector<Id> queue;
  std::size_t next = 0;     // of the queue: the one in flight
  std::vector<Id> waiting;  // a heap, if the earliest go first: those behind the one in flight
  bool flows = false;
  bool crowds = false;
  double sent = 0;  // bytes of all its messages so far
  double left = 0;  // bytes of it, at `since`
  double since = 0;
  double rate = 0;
  std::uint32_t version = 0;  // of its expected end; older expectations are void
};

// What a connection may have sent in all while it still fits into the queues along the route.
constexpr double crowd_after = 64 << 10;

struct Event {
  enum class Kind : std::uint8_t { ready, enter, drained, arrived, done, emptied, worked, go_on };
  double time = 0;
  std::uint64_t order = 0;
  Kind kind = Kind::ready;
  std::uint32_t number = 0;  // of a transfer, a connection, a link, or a rank
  std::uint32_t version = 0;
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }
};

class Simulation {
 public:
  Simulation(const TransferGraph& graph, const Platform& platform)
      : graph_(graph),
        platform_(platform),
        shares_(make_shares()),
        buckets_(shares_, capacities(platform), platform.burst_bytes),
        processor_free_(static_cast<std::size_t>(graph.ranks()), 0.0),
        cores_(platform.cores > 0 ? graph.ranks() : 0, platform.cores,
               platform.context_switch_seconds) {
    if (platform.node_of_rank.size() < static_cast<std::size_t>(graph.ranks())) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("simulation: {} ranks, but nodes of only {}", graph.ranks(),
                              platform.node_of_rank.size()));
    }
    run_.transfers.resize(graph.size());
    run_.link_bytes.assign(platform.routes.network().links().size(), 0.0);
    order_successors();
  }

  SimulatedRun run() && {
    for (Id id = 0; id < graph_.size(); ++id) {
      if (waits_for_[id] == 0) at(0, Event::Kind::ready, id);
    }
    while (!events_.empty()) {
      now_ = events_.top().time;
      // What happens at one time, but for rounding, changes rates once.
      const double until = now_ * (1 + 1e-13);
      while (!events_.empty() && events_.top().time <= until) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
      }
      update_rates();
    }
    for (const TransferTimes& times : run_.transfers)
      run_.seconds = std::max(run_.seconds, times.done);
    const std::vector<double> rates = capacities(platform_);
    for (std::size_t link = 0; link < rates.size(); ++link)
      run_.busiest_link_seconds =
          std::max(run_.busiest_link_seconds, run_.link_bytes[link] / rates[link]);
    return std::move(run_);
  }

 private:
  void update_rates() {
    do {
      shares_.update([&](std::size_t connection, double rate) { set_rate(connection, rate); });
    } while (buckets_.any() && buckets_.settle(now_));
    if (!buckets_.any()) return;
    for (const auto& [link, time, version] : buckets_.emptying(now_))
      at(time, Event::Kind::emptied, static_cast<std::uint32_t>(link), version);
  }

  FairShares make_shares() {
    std::vector<double> rates = capacities(platform_);
    limited_ = limits(platform_, rates);
    if (limited_) {
      // Further links: out of each node, and into each.
      rates.resize(rates.size() + 2 * static_cast<std::size_t>(platform_.routes.network().nodes()),
                   platform_.injection_bytes_per_second);
    }
    return FairShares(std::move(rates), platform_.incast_loss);
  }

  void order_successors() {
    const std::size_t transfers = graph_.size();
    waits_for_.assign(transfers, 0);
    first_successor_.assign(transfers + 1, 0);
    for (Id id = 0; id < transfers; ++id) {
      waits_for_[id] = static_cast<std::uint32_t>(graph_.after(id).size());
      for (const Id earlier : graph_.after(id)) ++first_successor_[earlier + 1];
    }
    std::partial_sum(first_successor_.begin(), first_successor_.end(), first_successor_.begin());
    successors_.resize(first_successor_.back());
    std::vector<std::size_t> next(first_successor_.begin(), first_successor_.end() - 1);
    for (Id id = 0; id < transfers; ++id) {
      for (const Id earlier : graph_.after(id)) successors_[next[earlier]++] = id;
    }
  }

  void at(double time, Event::Kind kind, std::uint32_t number, std::uint32_t version = 0) {
    events_.push({time, order_++, kind, number, version});
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Event::Kind::ready: begin(event.number); break;
      case Event::Kind::enter: enter(event.number); break;
      case Event::Kind::drained: drained(event.number, event.version); break;
      case Event::Kind::arrived: take_in(event.number); break;
      case Event::Kind::done: done(event.number); break;
      case Event::Kind::emptied:
        buckets_.emptied({static_cast<int>(event.number), event.time, event.version}, now_);
        break;
      case Event::Kind::worked: worked(static_cast<int>(event.number)); break;
      case Event::Kind::go_on: begun(cores_.go_on(static_cast<int>(event.number), now_)); break;
    }
  }

  bool within_node(const Transfer& transfer) const {
    return platform_.node_of_rank[static_cast<std::size_t>(transfer.from)] ==
           platform_.node_of_rank[static_cast<std::size_t>(transfer.to)];
  }

  // A rank's processor from when it is free, or its share of the cores; afterwards `next` happens
  // to the transfer: `enter` where it was sent, `done` where it was taken in.
  void work(int rank, double seconds, Event::Kind next, Id id) {
    if (platform_.cores > 0) {
      const std::uint32_t is_sent = next == Event::Kind::enter ? 1 : 0;
      begun(cores_.add(rank, {seconds, 2 * id + is_sent}, now_));
      return;
    }
    double& free = processor_free_[static_cast<std::size_t>(rank)];
    free = std::max(free, now_) + seconds;
    at(free, next, id);
  }

  void begun(const std::optional<SharedCores::Begun>& task) {
    if (task) at(task->end, Event::Kind::worked, static_cast<std::uint32_t>(task->rank));
  }

  // What this leads to at once is the rank's before it gives up its core.
  void worked(int rank) {
    const std::uint32_t task = cores_.finish(rank);
    if (task % 2 == 1) {
      enter(task / 2);
    } else {
      done(task / 2);
    }
    at(now_, Event::Kind::go_on, static_cast<std::uint32_t>(rank));
  }

  double core_seconds(const Transfer& transfer) const {
    return within_node(transfer) ? 0 : platform_.core_byte_seconds * transfer.bytes;
  }

  void begin(Id id) {
    const Transfer& transfer = graph_[id];
    run_.transfers[id].ready = now_;
    if (transfer.from == transfer.to) {
      run_.transfers[id].departed = run_.transfers[id].drained = now_;
      // What only waits for others wakes nobody.
      if (platform_.cores > 0 && transfer.work_seconds == 0) {
        at(now_, Event::Kind::done, id);
      } else {
        work(transfer.to, transfer.work_seconds, Event::Kind::done, id);
      }
      return;
    }
    const LogGP& network = within_node(transfer) ? platform_.within_node : platform_.between_nodes;
    work(transfer.from, network.send_overhead + core_seconds(transfer), Event::Kind::enter, id);
    processor_free_[static_cast<std::size_t>(transfer.from)] +=
        std::max(network.gap - network.send_overhead, 0.0);
  }

  void enter(Id id) {
    const Transfer& transfer = graph_[id];
    if (within_node(transfer)) {
      run_.transfers[id].departed = run_.transfers[id].drained = now_;
      at(now_ + platform_.within_node.latency, Event::Kind::arrived, id);
      return;
    }
    const std::uint32_t number = connection(transfer);
    Connection& entered = connections_[number];
    if (platform_.earliest_first && entered.next < entered.queue.size()) {
      entered.waiting.push_back(id);
      std::ranges::push_heap(entered.waiting, std::greater());
      return;
    }
    entered.queue.push_back(id);
    if (entered.queue.size() == entered.next + 1) start_next(number);
  }

  std::uint32_t connection(const Transfer& transfer) {
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
      const int links = static_cast<int>(run_.link_bytes.size());
      connection.links.push_back(links + 2 * from);
      connection.links.push_back(links + 2 * to + 1);
    }
    return found->second;
  }

  // Its links without what limits nodes.
  std::span<const int> route_of(const Connection& connection) const {
    return std::span(connection.links).first(connection.links.size() - (limited_ ? 2 : 0));
  }

  // A connection that goes on with its next message keeps its rate, and others theirs, unless it
  // begins to crowd its links.
  void start_next(std::uint32_t number) {
    Connection& connection = connections_[number];
    const Id id = connection.queue[connection.next];
    run_.transfers[id].departed = now_;
    const double G = platform_.between_nodes.byte_gap;
    connection.left = graph_[id].bytes;
    if (platform_.segment_seconds > 0)
      connection.left +=
          platform_.segment_seconds * (G > 0 ? 1 / G : shares_.capacity(connection.links.front()));
    connection.since = now_;
    connection.sent += graph_[id].bytes;
    const bool crowds = connection.sent > crowd_after;
    if (connection.left == 0) {
      expect_end(number, 0);
    } else if (connection.flows && connection.crowds == crowds) {
      expect_end(number, connection.left / connection.rate);
    } else {
      if (std::exchange(connection.flows, true)) shares_.end(number);
      connection.crowds = crowds;
      connection.rate = 0;
      buckets_.begin(connection.links, now_);
      shares_.begin(number, connection.links, crowds ? route_of(connection).size() : 0);
    }
  }

  void expect_end(std::uint32_t number, double seconds) {
    at(now_ + seconds, Event::Kind::drained, number, ++connections_[number].version);
  }

  void set_rate(std::size_t number, double rate) {
    Connection& connection = connections_[number];
    connection.left = std::max(connection.left - connection.rate * (now_ - connection.since), 0.0);
    connection.since = now_;
    connection.rate = rate;
    buckets_.touch(connection.links);
    expect_end(static_cast<std::uint32_t>(number), connection.left / rate);
  }

  void drained(std::uint32_t number, std::uint32_t version) {
    Connection& connection = connections_[number];
    if (version != connection.version) return;
    const Id id = connection.queue[connection.next++];
    run_.transfers[id].drained = now_;
    for (const int link : route_of(connection))
      run_.link_bytes[static_cast<std::size_t>(link)] += graph_[id].bytes;
    at(now_ + platform_.between_nodes.latency, Event::Kind::arrived, id);
    if (!connection.waiting.empty()) {
      std::ranges::pop_heap(connection.waiting, std::greater());
      connection.queue.push_back(connection.waiting.back());
      connection.waiting.pop_back();
    }
    if (connection.next < connection.queue.size()) {
      start_next(number);
      return;
    }
    connection.queue.clear();
    connection.next = 0;
    if (!connection.flows) return;
    connection.flows = false;
    shares_.end(number);
    buckets_.end(connection.links);
  }

  void take_in(Id id) {
    const Transfer& transfer = graph_[id];
    const bool within = within_node(transfer);
    const double copy = within ? platform_.within_node.byte_gap * transfer.bytes : 0;
    const LogGP& network = within ? platform_.within_node : platform_.between_nodes;
    work(transfer.to,
         network.receive_overhead + core_seconds(transfer) + copy + transfer.work_seconds,
         Event::Kind::done, id);
  }

  void done(Id id) {
    run_.transfers[id].done = now_;
    for (std::size_t next = first_successor_[id]; next < first_successor_[id + 1]; ++next) {
      if (--waits_for_[successors_[next]] == 0) at(now_, Event::Kind::ready, successors_[next]);
    }
  }

  const TransferGraph& graph_;
  const Platform& platform_;
  bool limited_ = false;
  FairShares shares_;
  TokenBuckets buckets_;
  std::vector<double> processor_free_;  // by rank, of ranks with cores of their own
  SharedCores cores_;                   // without ranks where these have cores of their own
  std::vector<std::uint32_t> waits_for_;
  std::vector<std::size_t> first_successor_;
  std::vector<Id> successors_;
  std::vector<Connection> connections_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t order_ = 0;
  double now_ = 0;
  SimulatedRun run_;
};

}  // namespace

Platform Platform::one_rank_per_node(Routes routes, const LogGP& between_nodes) {
  std::vector<int> nodes(static_cast<std::size_t>(routes.network().nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return {std::move(routes), std::move(nodes), between_nodes, {}, 0, 0, 0};
}

SimulatedRun simulate(const TransferGraph& graph, const Platform& platform) {
  return Simulation(graph, platform).run();
}

}  // namespace cuboid::detail
