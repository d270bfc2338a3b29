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

/// Bytes per second of the network's links. A measured G is the effective rate of the slowest link;
/// all other links are slowed down by the same factor. Throws Error(invalid_argument) if the rate
/// of a link is unknown.
std::vector<double> link_rates(const Platform& platform);

/// The messages between nodes in a simulation. The messages of one rank to another follow each
/// other on a connection; the connections share the links.
class Connections {
 public:
  /// Keeps its arguments by reference. Records in `run` when messages leave, and what crosses the
  /// links. Throws Error(invalid_argument) if the rate of a link is unknown.
  Connections(const TransferGraph& graph, const Platform& platform, EventQueue& events,
              SimulatedRun& run);

  /// Puts a transfer into the queue of its connection.
  void enter(TransferGraph::Id id, double now);

  /// Handle the events `drained` and `emptied`.
  void drained(std::uint32_t number, std::uint32_t version, double now);
  void emptied(const TokenBuckets::Emptying& bucket, double now) { buckets_.emptied(bucket, now); }

  /// Computes the rates of all flows from now on. Call it when all events of a time are handled.
  void update_rates(double now);
  std::size_t computed_rates() const { return shares_.computed(); }

  /// The longest time that any link of the network needs for the bytes that it has carried.
  double busiest_link_seconds() const;

 private:
  /// The messages of one rank to another.
  struct Connection {
    // The route's links; if nodes have limits, also one out of the sender's node and one into the
    // other.
    std::vector<int> links;
    std::vector<TransferGraph::Id> queue;
    std::size_t next = 0;  // index in the queue of the message in flight
    // If the earliest go first: a heap of the messages behind the one in flight.
    std::vector<TransferGraph::Id> waiting;
    bool flows = false;
    bool fills_queues = false;
    double sent = 0;  // bytes of all its messages that have been sent
    double left = 0;  // bytes of the message in flight that were left at `since`
    double since = 0;
    double rate = 0;
    std::uint32_t version = 0;  // version of the expected end; events of older versions are void
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
  bool limited_;               // true if nodes have limits that matter
  FairShares shares_;
  TokenBuckets buckets_;
  std::vector<Connection> connections_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace cuboid::detail
