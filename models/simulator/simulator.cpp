#include "models/simulator/simulator.hpp"

#include <cuboid/error.hpp>

#include "models/simulator/connections.hpp"
#include "models/simulator/copies.hpp"
#include "models/simulator/event_queue.hpp"
#include "models/simulator/processors.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

using Id = TransferGraph::Id;

class Simulation {
 public:
  Simulation(const TransferGraph& graph, const Platform& platform)
      : graph_(graph),
        platform_(platform),
        connections_(graph, platform, events_, run_),
        copies_(graph, platform, events_),
        processors_(graph.ranks(), platform, events_) {
    if (platform.node_of_rank.size() < static_cast<std::size_t>(graph.ranks())) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("simulation: {} ranks, but nodes of only {}", graph.ranks(),
                              platform.node_of_rank.size()));
    }
    run_.transfers.resize(graph.size());
    order_successors();
  }

  SimulatedRun run() && {
    for (Id id = 0; id < graph_.size(); ++id) {
      if (waits_for_[id] == 0) events_.add(0, Kind::ready, id);
    }
    while (!events_.empty()) {
      now_ = events_.next_time();
      // Rates are updated once for all events of one time, up to rounding.
      const double until = now_ * (1 + 1e-13);
      for (; !events_.empty() && events_.next_time() <= until; ++run_.operations)
        handle(events_.pop());
      connections_.update_rates(now_);
      copies_.update_rates(now_);
    }
    for (const TransferTimes& times : run_.transfers)
      run_.seconds = std::max(run_.seconds, times.done);
    run_.busiest_link_seconds = connections_.busiest_link_seconds();
    run_.operations += (connections_.computed_rates() + copies_.computed_rates()) / 8;
    return std::move(run_);
  }

 private:
  using Kind = SimulationEvent::Kind;

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

  void handle(const SimulationEvent& event) {
    const std::uint32_t number = event.number;
    switch (event.kind) {
      case Kind::ready: begin(number); break;
      case Kind::enter: enter(number); break;
      case Kind::drained: connections_.drained(number, event.version, now_); break;
      case Kind::arrived: take_in(number); break;
      case Kind::copies: copies_.begin(number, now_); break;
      case Kind::copied: copied(number, event.version); break;
      case Kind::done: done(number); break;
      case Kind::emptied:
        connections_.emptied({static_cast<int>(number), event.time, event.version}, now_);
        break;
      case Kind::worked: worked(static_cast<int>(number)); break;
      case Kind::go_on: processors_.go_on(static_cast<int>(number), now_); break;
    }
  }

  void worked(int rank) {
    const Processors::EndedTask task = processors_.worked(rank);
    switch (task.next) {
      case Kind::copies: copies_.begin(task.id, now_); return;
      case Kind::enter: enter(task.id); break;
      default: done(task.id); break;
    }
    events_.add(now_, Kind::go_on, static_cast<std::uint32_t>(rank));
  }

  bool within_node(const Transfer& transfer) const {
    return platform_.node_of_rank[static_cast<std::size_t>(transfer.from)] ==
           platform_.node_of_rank[static_cast<std::size_t>(transfer.to)];
  }

  double core_seconds(const Transfer& transfer) const {
    return within_node(transfer) ? 0 : platform_.core_byte_seconds * transfer.bytes;
  }

  void begin(Id id) {
    const Transfer& transfer = graph_[id];
    run_.transfers[id].ready = now_;
    if (transfer.from == transfer.to) {
      run_.transfers[id].departed = run_.transfers[id].drained = now_;
      // A transfer without work only joins dependencies: it wakes no rank.
      if (processors_.shared() && transfer.work_seconds == 0) {
        events_.add(now_, Kind::done, id);
      } else {
        processors_.work(transfer.to, transfer.work_seconds, Kind::done, id, now_);
      }
      return;
    }
    const LogGP& network = within_node(transfer) ? platform_.within_node : platform_.between_nodes;
    processors_.work(transfer.from, network.send_overhead + core_seconds(transfer), Kind::enter, id,
                     now_);
    processors_.delay(transfer.from, std::max(network.gap - network.send_overhead, 0.0));
  }

  void enter(Id id) {
    if (!within_node(graph_[id])) {
      connections_.enter(id, now_);
      return;
    }
    run_.transfers[id].departed = run_.transfers[id].drained = now_;
    events_.add(now_ + platform_.within_node.latency, Kind::arrived, id);
  }

  void take_in(Id id) {
    const Transfer& transfer = graph_[id];
    const bool within = within_node(transfer);
    if (within && copies_.shared() && transfer.bytes > 0) {
      processors_.work(transfer.to, platform_.within_node.receive_overhead, Kind::copies, id, now_);
      return;
    }
    const double copy = within ? platform_.within_node.byte_gap * transfer.bytes : 0;
    const LogGP& network = within ? platform_.within_node : platform_.between_nodes;
    processors_.work(
        transfer.to,
        network.receive_overhead + core_seconds(transfer) + copy + transfer.work_seconds,
        Kind::done, id, now_);
  }

  void copied(std::uint32_t receiver, std::uint32_t version) {
    if (!copies_.copied(receiver, version)) return;
    const Id id = copies_.copy_of(receiver);
    processors_.copied(static_cast<int>(receiver), graph_[id].work_seconds, id, now_);
  }

  void done(Id id) {
    run_.transfers[id].done = now_;
    for (std::size_t next = first_successor_[id]; next < first_successor_[id + 1]; ++next) {
      if (--waits_for_[successors_[next]] == 0) events_.add(now_, Kind::ready, successors_[next]);
    }
  }

  const TransferGraph& graph_;
  const Platform& platform_;
  EventQueue events_;
  SimulatedRun run_;
  Connections connections_;
  Copies copies_;
  Processors processors_;
  std::vector<std::uint32_t> waits_for_;
  std::vector<std::size_t> first_successor_;
  std::vector<Id> successors_;
  double now_ = 0;
};

}  // namespace

Platform Platform::one_rank_per_node(Routes routes, const LogGP& between_nodes) {
  std::vector<int> nodes(static_cast<std::size_t>(routes.network().nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return {.routes = std::move(routes),
          .node_of_rank = std::move(nodes),
          .between_nodes = between_nodes,
          .within_node = {}};
}

SimulatedRun simulate(const TransferGraph& graph, const Platform& platform) {
  return Simulation(graph, platform).run();
}

}  // namespace cuboid::detail
