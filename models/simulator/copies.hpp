#pragma once

#include "models/simulator/event_queue.hpp"
#include "models/simulator/fair_shares.hpp"
#include "models/simulator/transfer_graph.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

struct Platform;

/// The copies within nodes in a simulation. A receiver copies one message at a time, at its own
/// rate at most. All who read one rank's memory share the bandwidth of that memory, and all copies
/// on a node share the bandwidth of the node.
class Copies {
 public:
  /// Keeps its arguments by reference.
  Copies(const TransferGraph& graph, const Platform& platform, EventQueue& events);

  /// True if copies share anything. Otherwise a copy takes its receiver's time per byte, and
  /// nothing needs to be simulated.
  bool shared() const { return shared_; }

  /// The receiver of a transfer begins to copy. The event `copied` is the end.
  void begin(TransferGraph::Id id, double now);

  /// Handles the event `copied`. Returns true if it is the end of the receiver's copy; false if
  /// rates have changed since the end was expected. copy_of() is the transfer that is copied.
  bool copied(std::uint32_t receiver, std::uint32_t version);
  TransferGraph::Id copy_of(std::uint32_t receiver) const { return copies_[receiver].transfer; }

  /// Computes the rates of all copies from now on. Call it when all events of a time are handled.
  void update_rates(double now);
  std::size_t computed_rates() const { return shares_.computed(); }

 private:
  struct Copy {  // by receiver
    TransferGraph::Id transfer = 0;
    std::array<int, 3> shares = {};  // the receiver, the rank from which it reads, the node
    double left = 0;                 // bytes left at `since`
    double since = 0;
    double rate = 0;
    std::uint32_t version = 0;
  };

  const TransferGraph& graph_;
  const Platform& platform_;
  EventQueue& events_;
  bool shared_;
  FairShares shares_;
  std::vector<Copy> copies_;
};

}  // namespace cuboid::detail
