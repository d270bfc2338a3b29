#pragma once

#include <cuboid/network.hpp>

#include "topology/machine/hosts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cuboid::detail {

/// Ranks put onto a network's nodes, and how.
struct RankPlaces {
  std::vector<int> node_of_rank;
  std::string how;  ///< text; empty if there is nothing to explain
};

/// Throws Error(invalid_argument) where place_in_order() cannot put the job's ranks onto a network
/// with `nodes` hosts: `what` names it. To be asked before a network is built that may be large.
void require_places(std::int64_t nodes, const Hosts& hosts, const std::string& what);

/// Puts ranks onto the network's hosts in order where nothing tells which is which: the i-th host
/// of the job on the i-th of the network where the counts agree, else equally many consecutive
/// ranks on each (a machine that is imitated), and a rank that is alone on the first. Throws
/// what require_places() does.
RankPlaces place_in_order(const Network& network, const Hosts& hosts, const std::string& what);

/// Ranks put onto a network's nodes by the names of their hosts.
struct NamedPlaces {
  std::vector<int> node_of_rank;     ///< empty if a host is missing
  std::vector<std::string> missing;  ///< hosts of the job that are not in the network
};

/// Names are equal if they are the same, or the same up to the first dot and no other host's.
NamedPlaces place_by_name(const Network& network, const Hosts& hosts);

}  // namespace cuboid::detail
