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
  std::string node;     ///< equal for ranks that can share memory
  std::string machine;  ///< equal for ranks that compete for the same cores
  CoreSet cores;
  MemoryProbe memory;
  /// The addresses of its host's interfaces, each followed by a space.
  std::string addresses;
};

/// What is known of all ranks, by rank. Each rank takes few bytes: what is only compared is kept as
/// a number, and what several ranks have in common is kept once.
class PeerInformation {
 public:
  explicit PeerInformation(std::span<const RankInformation> all, int rank = 0);

  int size() const { return static_cast<int>(ranks_.size()); }
  std::string_view host(int rank) const;
  bool same_node(int a, int b) const { return at(a).node == at(b).node; }
  bool same_machine(int a, int b) const { return at(a).machine == at(b).machine; }
  /// The number of a rank's machine, counted from 0.
  int machine(int rank) const { return at(rank).machine; }
  const CoreSet& cores(int rank) const { return cores_[static_cast<std::size_t>(at(rank).cores)]; }
  /// The probe of a rank's memory; empty if every rank has a node of its own, since nobody could
  /// read the memory.
  MemoryProbe memory(int rank) const {
    return memory_.empty() ? MemoryProbe{} : memory_[static_cast<std::size_t>(rank)];
  }
  /// The interfaces of this rank's host that lead to other ranks' hosts.
  const std::set<std::string>& interfaces_to_others() const { return interfaces_to_others_; }

  bool on_one_node() const;
  bool one_rank_per_node() const { return memory_.empty(); }
  /// The ranks of the same node as `rank`, which is one of them, ascending.
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
  std::string hosts_;                     // the names one after the other
  std::vector<std::uint32_t> host_ends_;  // where each name ends in `hosts_`
  std::vector<CoreSet> cores_;
  std::vector<MemoryProbe> memory_;
  std::set<std::string> interfaces_to_others_;
};

/// Exchanges the information of all ranks. Collective over the bootstrap. Throws Error(mismatch),
/// alike on all ranks, if ranks have different settings that must be equal.
std::shared_ptr<const PeerInformation> introduce(Bootstrap& bootstrap,
                                                 const Environment& environment,
                                                 const MemoryBeacon& beacon);

}  // namespace cuboid::detail
