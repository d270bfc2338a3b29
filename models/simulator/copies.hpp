#pragma once

#include "models/simulator/event_queue.hpp"
#include "models/simulator/fair_shares.hpp"
#include "models/simulator/transfer_graph.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

struct Platform;

/// The copies of a simulation within nodes. A receiver copies one message at a time, at its own
/// rate at most; all who read one rank's memory share what that can deliver, and all copies on a
/// node its memory's bandwidth.
class Copies {
 public:
  /// All are kept by reference.
  Copies(const TransferGraph& graph, const Platform& platform, EventQueue& events);

  /// Whether copies share anything. Otherwise a copy takes the receiver what its bytes take, and
  /// nothing needs to be simulated.
  bool shared() const { return shared_; }

  /// The receiver of a transfer begins to copy; the event `copied` is its end.
  void begin(TransferGraph::Id id, double now);

  /// The event `copied`: whether this is the end of the receiver's copy, which it is not if rates
  /// have changed since it was expected. If so, the transfer that is copied.
  bool copied(std::uint32_t receiver, std::uint32_t version);
  TransferGraph::Id copy_of(std::uint32_t receiver) const { return copies_[receiver].transfer; }

  /// Rates for all that is copied from now on; to be called when all events of a time are handled.
  void update_rates(double now);
  std::size_t computed_rates() const { return shares_.computed(); }

 private:
  struct Copy {  // of a receiver
    TransferGraph::Id transfer = 0;
    std::array<int, 3> shares = {};  // the receiver, the rank that it reads from, the node
    double left = 0;                 // bytes, at `since`
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
