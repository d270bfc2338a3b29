#include "topology/machine/hwloc_topology.hpp"

#include <cuboid/error.hpp>

#include <utility>

#include <hwloc/export.h>

namespace cuboid::detail {

TopologyHandle load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  TopologyHandle topology(raw);
  // Disallowed cores are included. Otherwise hwloc numbers the cores of every cpuset from 0, and
  // two ranks of one host would give different cores the same number.
  const bool loaded = hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
                      hwloc_topology_load(raw) == 0;
  return loaded ? std::move(topology) : nullptr;
}

std::string hwloc_xml() {
  const TopologyHandle topology = load_topology();
  char* text = nullptr;
  int length = 0;  // with the terminating zero
  if (!topology || hwloc_topology_export_xmlbuffer(topology.get(), &text, &length, 0) != 0) {
    throw Error(ErrorCode::unsupported,
                "hwloc cannot describe this node: look at what lstopo says");
  }
  const auto release = [&topology](char* buffer) { hwloc_free_xmlbuffer(topology.get(), buffer); };
  const std::unique_ptr<char, decltype(release)> buffer(text, release);
  return buffer.get();
}

}  // namespace cuboid::detail
