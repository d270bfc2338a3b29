#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/node/single_copy.hpp"
#include "collectives/node/waiting.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// What a rank tells the others about itself before any of them opens a connection.
struct RankInformation {
  std::string host;
  std::string node;     ///< equal where memory can be shared
  std::string machine;  ///< equal where cores are shared
  CoreSet cores;
  MemoryProbe memory;
  std::string
      addresses;  ///< of its host's interfaces, one after the other, each with a space after
};

/// Everybody's information, by rank. A rank keeps few bytes of each other one: what must only be
/// compared is a number, and what many have in common is there once.
class PeerInformation {
 public:
  explicit PeerInformation(std::span<const RankInformation> all, int rank = 0);

  int size() const { return static_cast<int>(ranks_.size()); }
  std::string_view host(int rank) const;
  bool same_node(int a, int b) const { return at(a).node == at(b).node; }
  bool same_machine(int a, int b) const { return at(a).machine == at(b).machine; }
  /// Numbered from 0.
  int machine(int rank) const { return at(rank).machine; }
  const CoreSet& cores(int rank) const { return cores_[static_cast<std::size_t>(at(rank).cores)]; }
  /// Empty where every rank has a node of its own: nobody could read it.
  MemoryProbe memory(int rank) const {
    return memory_.empty() ? MemoryProbe{} : memory_[static_cast<std::size_t>(rank)];
  }
  /// Of this rank's host.
  const std::set<std::string>& interfaces_to_others() const { return interfaces_to_others_; }

  bool on_one_node() const;
  bool one_rank_per_node() const { return memory_.empty(); }
  /// The ranks of the same node as `rank`, itself included, ascending.
  std::vector<int> ranks_of_node(int rank) const;

 private:
  struct Numbers {
    std::int32_t host;
    std::int32_t node;
    std::int32_t machine;
    std::int32_t cores;
  };

  const Numbers& at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  std::vector<Numbers> ranks_;
  std::string hosts_;                     // the names, one after the other
  std::vector<std::uint32_t> host_ends_;  // in it
  std::vector<CoreSet> cores_;
  std::vector<MemoryProbe> memory_;
  std::set<std::string> interfaces_to_others_;
};

/// Everybody's, exchanged. Collective over the bootstrap. Throws, on all ranks alike,
/// Error(mismatch) where ranks have settings that must be equal and are not.
std::shared_ptr<const PeerInformation> introduce(Bootstrap& bootstrap,
                                                 const Environment& environment,
                                                 const MemoryBeacon& beacon);

}  // namespace cuboid::detail
