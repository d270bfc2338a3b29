#pragma once

#include <cuboid/export.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cuboid {

/// One level of a node's data or unified caches. All caches of a level are assumed to be equal.
struct CacheLevel {
  int level = 1;           ///< 1, 2, 3, ...
  std::int64_t bytes = 0;  ///< the size of one cache
  int count = 0;           ///< number of caches of this level in the node
  bool operator==(const CacheLevel&) const = default;
};

/// The numbers of the package, NUMA node and last-level cache that a core belongs to.
struct Core {
  int package = 0;
  int numa = 0;
  int cache = 0;
  bool operator==(const Core&) const = default;
};

/// The inside of one host as hwloc sees it, including cores that this process may not use. All
/// ranks on a host read the same Node, so core numbers mean the same to them.
struct Node {
  int packages = 1;
  int numa_nodes = 1;
  int threads_per_core = 1;        ///< hardware threads per core, rounded down if cores differ
  std::int64_t memory_bytes = 0;   ///< 0 if unknown
  std::vector<CacheLevel> caches;  ///< innermost first
  std::vector<Core> cores;         ///< in hwloc's logical order: neighbours share the most
  bool operator==(const Node&) const = default;
};

/// The part of its node that a rank may use: the affinity mask of the calling thread, and the
/// cpuset and CPU quota of its control group.
struct Binding {
  std::vector<int> cores;  ///< numbers into Node::cores, ascending
  /// The number of cores that can work for this rank at the same time, at least 1: the cores of its
  /// binding, or fewer if the control group's CPU quota is smaller. Other ranks may share them.
  int usable_cores = 1;
  bool operator==(const Binding&) const = default;
};

/// A node and the calling thread's binding in it.
struct NodeAndBinding {
  Node node;
  Binding binding;
};

/// The hosts of a job, numbered in the order of their first ranks.
struct CUBOID_API Hosts {
  std::vector<std::string> names;  ///< one per host, all different
  std::vector<int> first_rank;     ///< one per host
  std::vector<int> of_rank;        ///< the host of each rank
  /// The number of hosts.
  int count() const { return static_cast<int>(names.size()); }
};

/// Reads this host and the calling thread's binding from hwloc, which takes some milliseconds.
/// Works in containers. If hwloc knows nothing, the node is one package with as many cores as the
/// affinity mask has.
CUBOID_API NodeAndBinding read_node();

/// How closely two cores can be related, closest first.
enum class Sharing { core, cache, numa, package, node };

/// Groups of ranks (indices into `bindings`) whose cores all lie in the same core, cache, NUMA node
/// or package. A rank that spans several of these, or shares with no other rank, is in no group.
CUBOID_API std::vector<std::vector<int>> ranks_sharing(Sharing what, const Node& node,
                                                       std::span<const Binding> bindings);

/// "2 packages, 4 NUMA nodes, 64 cores of 2 threads, 256 GiB; 64 x L1 32 KiB, 64 x L2 1 MiB, 8 x L3
/// 32 MiB".
CUBOID_API std::string to_string(const Node& node);

/// "0-3,8" for {0, 1, 2, 3, 8}.
CUBOID_API std::string ranges_to_string(std::span<const int> ascending);

}  // namespace cuboid
