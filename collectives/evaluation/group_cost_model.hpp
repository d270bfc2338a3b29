#pragma once

#include "collectives/forests/tree_cache.hpp"
#include "collectives/schedules/group_nodes.hpp"
#include "models/messages/log_gp.hpp"
#include "models/messages/node_memory.hpp"
#include "models/messages/parameters.hpp"
#include "models/messages/usual_parameters.hpp"

#include <memory>
#include <optional>

namespace cuboid::detail {

/// The cost model of a group: its nodes, network and cores.
struct GroupCostModel {
  GroupNodes nodes;
  Hockney network;            ///< one message over a link of an otherwise idle network
  Hockney node;               ///< one message within a node
  double ranks_per_core = 1;  ///< ranks per core of a node; at least 1
  /// True if all ranks are on one node and share memory for their collectives (see Board).
  bool shares_memory = false;
  double overhead = NodeMemory{}.overhead;  ///< see NodeMemory
  double context_switch = NodeMemory{}.context_switch;
  double combine_beta = NodeMemory{}.combine_beta;
  double copy_beta = NodeMemory{}.copy_beta;
  /// Seconds until a core has a cache line that another core has just written.
  double line_seconds = usual_core_work.cache_line;
  /// The cost of messages of any size within a node, alone and while all ranks send; nullopt if it
  /// was not measured.
  std::optional<MeasuredMessages> node_messages = {};
  std::optional<MeasuredMessages> crowded_messages = {};
  std::optional<MeasuredMessages> fresh_messages = {};
  std::vector<MessageSample> combine_sizes = {};  ///< see Parameters
  std::vector<MessageSample> copy_sizes = {};     ///< likewise
  double hop_seconds = 0;                         ///< latency that each further link adds
  double injection_bytes_per_second = 0;  ///< what leaves a node over all its cables; 0: no limit
  double burst_bytes = 0;                 ///< measured; see TokenBuckets
  double incast_loss = 0;                 ///< see FairShares
  double overlap = usual_overlap;         ///< see Parameters
  /// Bandwidth of one rank's memory when all ranks of its node read it together; 0: not measured.
  double source_bytes_per_second = 0;
  /// CPU seconds of a message between nodes, at both ends.
  double network_overhead = usual_core_work.message_between_nodes;
  std::vector<MessageSample> crowded_network = {};  ///< see Parameters
  /// Seconds of a context switch of ranks that share cores and wait for the network.
  double network_context_switch = usual_crowded_network.context_switch;
  /// The cache of trees of this group's network; copies of the model share it.
  std::shared_ptr<TreeCache> tree_cache = std::make_shared<TreeCache>();

  int ranks() const { return nodes.ranks(); }
  /// A message between two nodes, as the simulator computes it.
  LogGP between_nodes() const;
  /// The memory parameters of a group on one node. In the call each rank reads and writes
  /// `touched_bytes` different bytes (caches are faster than memory) in messages of
  /// `message_bytes`.
  NodeMemory memory(double touched_bytes = 0, double message_bytes = 0) const;
  /// Seconds that the cores of `ranks` ranks need for messages between nodes. `messages` and
  /// `bytes` count what all these ranks handle together. It includes waking ranks that sleep and
  /// share a core.
  double core_seconds(double messages, double bytes, int ranks) const;
  double core_seconds(double messages, double bytes) const {
    return core_seconds(messages, bytes, ranks());
  }
  /// CPU seconds of one such message, for both its ends.
  double message_seconds(double bytes) const;
  /// The minimum seconds in which a node sends `bytes` over all its cables.
  double injection_seconds(double bytes) const {
    return injection_bytes_per_second > 0 ? bytes / injection_bytes_per_second : 0;
  }
  /// The additional latency of a message between nodes in a collective: `network.alpha` was
  /// measured while all other ranks slept, but in a collective they use the cores, too.
  double context_switches_of_others() const;
  /// The slowest connection between two ranks of the group.
  const Hockney& slowest() const { return nodes.nodes() > 1 ? network : node; }
};

/// Makes the cost model of a group from measured parameters; where there are none, from the links'
/// rates and typical orders of magnitude. Pure.
GroupCostModel group_cost_model_of(GroupNodes nodes, double ranks_per_core,
                                   const Parameters* parameters);

}  // namespace cuboid::detail
