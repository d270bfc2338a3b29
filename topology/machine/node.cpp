#include <cuboid/node.hpp>

#include "base/counted.hpp"
#include "topology/machine/cpu_quota.hpp"
#include "topology/machine/hwloc_topology.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>

namespace cuboid {

using namespace detail;

namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using BitmapHandle = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, FreeBitmap>;

std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    found.push_back(object);
  }
  return found;
}

/// The core objects of a topology. Containers and virtual machines may show none; then hardware
/// threads are taken instead.
std::vector<hwloc_obj_t> core_objects(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> cores = objects(topology, HWLOC_OBJ_CORE);
  return cores.empty() ? objects(topology, HWLOC_OBJ_PU) : cores;
}

/// The index of the first domain that contains the core's processors; 0 if none does.
int domain_of(hwloc_obj_t core, const std::vector<hwloc_obj_t>& domains) {
  const auto holds = [&](hwloc_obj_t domain) {
    return hwloc_bitmap_isincluded(core->cpuset, domain->cpuset) != 0;
  };
  const auto found = std::ranges::find_if(domains, holds);
  return found == domains.end() ? 0 : static_cast<int>(found - domains.begin());
}

constexpr hwloc_obj_type_t data_caches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                            HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};

std::vector<CacheLevel> read_caches(hwloc_topology_t topology) {
  std::vector<CacheLevel> caches;
  for (const hwloc_obj_type_t type : data_caches) {
    const std::vector<hwloc_obj_t> found = objects(topology, type);
    if (found.empty()) continue;
    const auto& attributes = found.front()->attr->cache;
    caches.push_back({static_cast<int>(attributes.depth),
                      static_cast<std::int64_t>(attributes.size), static_cast<int>(found.size())});
  }
  return caches;
}

std::vector<hwloc_obj_t> last_level_caches(hwloc_topology_t topology) {
  for (auto type = std::rbegin(data_caches); type != std::rend(data_caches); ++type) {
    std::vector<hwloc_obj_t> found = objects(topology, *type);
    if (!found.empty()) return found;
  }
  return {};
}

Node read_inside(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& cores) {
  const std::vector<hwloc_obj_t> packages = objects(topology, HWLOC_OBJ_PACKAGE);
  const std::vector<hwloc_obj_t> numa_nodes = objects(topology, HWLOC_OBJ_NUMANODE);
  const std::vector<hwloc_obj_t> caches = last_level_caches(topology);
  Node node;
  node.packages = std::max(1, static_cast<int>(packages.size()));
  node.numa_nodes = std::max(1, static_cast<int>(numa_nodes.size()));
  node.memory_bytes = static_cast<std::int64_t>(hwloc_get_root_obj(topology)->total_memory);
  node.caches = read_caches(topology);
  const int threads = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
  node.threads_per_core = std::max(1, threads / std::max(1, static_cast<int>(cores.size())));
  for (const hwloc_obj_t core : cores) {
    node.cores.push_back(
        {domain_of(core, packages), domain_of(core, numa_nodes), domain_of(core, caches)});
  }
  return node;
}

Binding read_binding(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& cores) {
  const BitmapHandle bound(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) != 0) {
    hwloc_bitmap_copy(bound.get(), hwloc_topology_get_allowed_cpuset(topology));
  }
  hwloc_bitmap_and(bound.get(), bound.get(), hwloc_topology_get_allowed_cpuset(topology));
  Binding binding;
  for (std::size_t core = 0; core < cores.size(); ++core) {
    if (hwloc_bitmap_intersects(bound.get(), cores[core]->cpuset) != 0)
      binding.cores.push_back(static_cast<int>(core));
  }
  return binding;
}

int affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

NodeAndBinding without_hwloc() {
  NodeAndBinding answer;
  answer.node.cores.resize(static_cast<std::size_t>(affinity_count()));
  for (std::size_t core = 0; core < answer.node.cores.size(); ++core) {
    answer.binding.cores.push_back(static_cast<int>(core));
  }
  return answer;
}

/// The one domain that contains all cores of a rank; nullopt if the cores lie in several domains.
template <typename DomainOfCore>
std::optional<int> common_domain(const Binding& binding, DomainOfCore domain_of_core) {
  std::optional<int> common;
  for (const int core : binding.cores) {
    const int domain = domain_of_core(core);
    if (common && *common != domain) return std::nullopt;
    common = domain;
  }
  return common;
}

int domain_of(Sharing what, const Node& node, int core) {
  const Core& place = node.cores.at(static_cast<std::size_t>(core));
  switch (what) {
    case Sharing::core: return core;
    case Sharing::cache: return place.cache;
    case Sharing::numa: return place.numa;
    case Sharing::package: return place.package;
    case Sharing::node: return 0;
  }
  return 0;
}

std::string bytes_to_string(std::int64_t bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(units)) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", amount, units[unit]);
}

}  // namespace

NodeAndBinding read_node() {
  const TopologyHandle topology = load_topology();
  NodeAndBinding answer;
  if (topology != nullptr) {
    const std::vector<hwloc_obj_t> cores = core_objects(topology.get());
    answer = {read_inside(topology.get(), cores), read_binding(topology.get(), cores)};
  }
  if (answer.binding.cores.empty()) answer = without_hwloc();
  const int quota = cpu_quota();
  const int bound = static_cast<int>(answer.binding.cores.size());
  answer.binding.usable_cores = quota > 0 ? std::min(quota, bound) : bound;
  return answer;
}

std::vector<std::vector<int>> ranks_sharing(Sharing what, const Node& node,
                                            std::span<const Binding> bindings) {
  std::vector<std::vector<int>> groups(std::max<std::size_t>(node.cores.size(), 1));
  for (std::size_t rank = 0; rank < bindings.size(); ++rank) {
    const auto domain =
        common_domain(bindings[rank], [&](int core) { return domain_of(what, node, core); });
    if (domain) groups.at(static_cast<std::size_t>(*domain)).push_back(static_cast<int>(rank));
  }
  std::erase_if(groups, [](const std::vector<int>& group) { return group.size() < 2; });
  return groups;
}

std::string to_string(const Node& node) {
  std::string text = fmt::format("{}, {}, {}", counted(node.packages, "package"),
                                 counted(node.numa_nodes, "NUMA node"),
                                 counted(static_cast<std::int64_t>(node.cores.size()), "core"));
  if (node.threads_per_core > 1) text += fmt::format(" of {} threads", node.threads_per_core);
  if (node.memory_bytes > 0) text += ", " + bytes_to_string(node.memory_bytes);
  for (std::size_t i = 0; i < node.caches.size(); ++i) {
    const CacheLevel& cache = node.caches[i];
    text += fmt::format("{} {} x L{} {}", i == 0 ? ";" : ",", cache.count, cache.level,
                        bytes_to_string(cache.bytes));
  }
  return text;
}

std::string ranges_to_string(std::span<const int> ascending) {
  std::string text;
  for (std::size_t first = 0, next = 0; first < ascending.size(); first = next) {
    next = first + 1;
    while (next < ascending.size() && ascending[next] == ascending[next - 1] + 1) ++next;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", ascending[first]);
    if (next - first > 1) text += fmt::format("-{}", ascending[next - 1]);
  }
  return text;
}

}  // namespace cuboid
