#pragma once

#include "models/simulator/event_queue.hpp"
#include "models/simulator/fair_shares.hpp"
#include "models/simulator/simulator.hpp"
#include "models/simulator/token_buckets.hpp"
#include "models/simulator/transfer_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace cuboid::detail {

/// Bytes per second of the network's links: a measured G is the effective rate of the slowest, and
/// all others are slowed down by the same factor. Throws Error(invalid_argument) where the rate of
/// a link is unknown.
std::vector<double> link_rates(const Platform& platform);

/// The messages of a simulation between nodes. Those of one rank to another follow each other on a
/// connection; the connections share the links.
class Connections {
 public:
  /// All are kept by reference. Notes in `run` when messages leave, and what crosses the links.
  /// Throws Error(invalid_argument) where the rate of a link is unknown.
  Connections(const TransferGraph& graph, const Platform& platform, EventQueue& events,
              SimulatedRun& run);

  /// A transfer joins the queue of its connection.
  void enter(TransferGraph::Id id, double now);

  /// The events `drained` and `emptied`.
  void drained(std::uint32_t number, std::uint32_t version, double now);
  void emptied(const TokenBuckets::Emptying& bucket, double now) { buckets_.emptied(bucket, now); }

  /// Rates for all that flows from now on; to be called when all events of a time are handled.
  void update_rates(double now);
  std::size_t computed_rates() const { return shares_.computed(); }

  /// The longest time that any link of the network needs for the bytes it has carried so far.
  double busiest_link_seconds() const;

 private:
  /// Messages of one rank to another.
  struct Connection {
    std::vector<int> links;  // and, where nodes have limits, out of the one and into the other
    std::vector<TransferGraph::Id> queue;
    std::size_t next = 0;  // of the queue: the one in flight
    // A heap, if the earliest go first: those behind the one in flight.
    std::vector<TransferGraph::Id> waiting;
    bool flows = false;
    bool fills_queues = false;
    double sent = 0;  // bytes of all its messages so far
    double left = 0;  // bytes of it, at `since`
    double since = 0;
    double rate = 0;
    std::uint32_t version = 0;  // of its expected end; older expectations are void
  };

  FairShares make_shares();
  std::uint32_t connection(const Transfer& transfer);
  std::span<const int> route_of(const Connection& connection) const;
  void start_next(std::uint32_t number, double now);
  void expect_end(std::uint32_t number, double seconds, double now);
  void set_rate(std::size_t number, double rate, double now);

  const TransferGraph& graph_;
  const Platform& platform_;
  EventQueue& events_;
  SimulatedRun& run_;
  std::vector<double> rates_;  // bytes per second of the network's links
  bool limited_;               // whether nodes have limits that count
  FairShares shares_;
  TokenBuckets buckets_;
  std::vector<Connection> connections_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace cuboid::detail
