#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/node/single_copy.hpp"
#include "collectives/node/waiting.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cuboid::detail {

/// What a rank tells the others about itself before any of them opens a connection.
struct Introduction {
  std::string host;
  std::string node;     ///< equal where memory can be shared
  std::string machine;  ///< equal where cores are shared
  CoreSet cores;
  MemoryProbe memory;
  std::string
      addresses;  ///< of its host's interfaces, one after the other, each with a space after
};

/// Everybody's introduction, by rank.
struct Introductions {
  std::vector<Introduction> ranks;
  bool one_rank_per_node = false;

  explicit Introductions(std::vector<Introduction> all);
};

/// Everybody's, exchanged. Collective over the bootstrap. Throws, on all ranks alike,
/// Error(mismatch) where ranks have settings that must be equal and are not.
std::shared_ptr<const Introductions> introduce(Bootstrap& bootstrap, const Environment& environment,
                                               const MemoryBeacon& beacon);

/// Whether all ranks are on one node.
bool on_one_node(const std::vector<Introduction>& ranks);

/// The ranks of the same node as `rank`, itself included, ascending.
std::vector<int> ranks_of_node(const std::vector<Introduction>& ranks, int rank);

}  // namespace cuboid::detail
