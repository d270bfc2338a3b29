#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/carrier/peer_information.hpp"
#include "collectives/node/board.hpp"
#include "collectives/node/node_messages.hpp"
#include "collectives/node/waiting.hpp"

#include <memory>
#include <optional>

namespace cuboid::detail {

/// The ways that messages may go between the ranks of this rank's node.
struct NodeWays {
  /// True if every rank of the node may read the memory of every other.
  bool readable = false;
  /// The node's mailboxes, by place in ranks_of_node(); nullopt if the node has none. Ranks have
  /// mailboxes only if they poll while they wait, or if the carrier cannot wake them.
  std::optional<NodeMessages> messages;
};

/// Agrees on the ways that are open to every rank of the node, because sender and receiver must
/// choose the same way for a message. Collective over the bootstrap.
NodeWays agree_on_ways(Bootstrap& bootstrap, const PeerInformation& ranks, WaitPolicy policy,
                       bool carrier_wakes, const Logger& logger);

/// Memory for the collectives of this node's ranks. A rank's place in it is its place in
/// ranks_of_node(). Returns nullptr if the node has one rank, or if not every rank can map the
/// memory. Collective over the bootstrap.
std::shared_ptr<BoardMemory> agree_on_board(Bootstrap& bootstrap, const PeerInformation& ranks,
                                            const Logger& logger);

}  // namespace cuboid::detail
