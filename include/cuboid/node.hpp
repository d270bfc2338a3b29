#pragma once

#include <cuboid/export.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cuboid {

/// One level of a node's data (or unified) caches, all of them taken to be alike.
struct CacheLevel {
  int level = 1;           ///< 1, 2, 3, ...
  std::int64_t bytes = 0;  ///< of one cache
  int count = 0;           ///< caches of this level in the node
  bool operator==(const CacheLevel&) const = default;
};

/// Where a core lies: the number of the package, NUMA node and last-level cache it belongs to.
struct Core {
  int package = 0;
  int numa = 0;
  int cache = 0;
  bool operator==(const Core&) const = default;
};

/// The inside of one host as hwloc sees it, whether this process may use all of it or not. Two
/// ranks on one host read the same Node, so that core numbers mean the same to both.
struct Node {
  int packages = 1;
  int numa_nodes = 1;
  int threads_per_core = 1;        ///< hardware threads of a core, rounded down where cores differ
  std::int64_t memory_bytes = 0;   ///< 0 where it is not known
  std::vector<CacheLevel> caches;  ///< innermost first
  std::vector<Core> cores;         ///< in hwloc's logical order: neighbours share the most
  bool operator==(const Node&) const = default;
};

/// What of its node one rank may use: its binding as it really is (affinity mask of the calling
/// thread, cpuset and CPU quota of its control group), whoever set it.
struct Binding {
  std::vector<int> cores;  ///< numbers into Node::cores, ascending
  /// Cores that can work for this rank at the same time, at least 1: those of its binding, less
  /// where the control group's CPU quota is smaller. Other ranks may be bound to the same cores.
  int usable_cores = 1;
  bool operator==(const Binding&) const = default;
};

/// A node and the calling thread's binding in it.
struct NodeAndBinding {
  Node node;
  Binding binding;
};

/// The hosts that a job's ranks run on, numbered in the order of their first ranks.
struct CUBOID_API Hosts {
  std::vector<std::string> names;  ///< one per host, all different
  std::vector<int> first_rank;     ///< one per host
  std::vector<int> of_rank;        ///< the host of each rank
  int count() const { return static_cast<int>(names.size()); }
};

/// Asks hwloc, which takes some milliseconds. Works in containers. Where hwloc cannot tell, the
/// node is one package with as many cores as the affinity mask has.
CUBOID_API NodeAndBinding read_node();

/// How closely two cores can be related, closest first.
enum class Sharing { core, cache, numa, package, node };

/// Which of a node's ranks share something: the ranks (indices into `bindings`) whose cores all lie
/// in one core, cache, NUMA node or package. Ranks that reach across several, or share with nobody
/// else, form no group.
CUBOID_API std::vector<std::vector<int>> ranks_sharing(Sharing what, const Node& node,
                                                       std::span<const Binding> bindings);

/// "2 packages, 4 NUMA nodes, 64 cores of 2 threads, 256 GiB; 64 x L1 32 KiB, 64 x L2 1 MiB, 8 x L3
/// 32 MiB".
CUBOID_API std::string to_string(const Node& node);

/// "0-3,8" for {0, 1, 2, 3, 8}.
CUBOID_API std::string ranges_to_string(std::span<const int> ascending);

}  // namespace cuboid
