#include "topology/machine/report.hpp"

#include <cuboid/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

// The conversions are in the namespace of the types, where nlohmann-json looks them up.
namespace cuboid {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CacheLevel, level, bytes, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Core, package, numa, cache)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Node, packages, numa_nodes, threads_per_core, memory_bytes,
                                   caches, cores)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Binding, cores, usable_cores)

}  // namespace cuboid

namespace cuboid::detail {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostIdentity, name, boot, network_namespace)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NeighbourReport, address, hardware_address)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LinkReport, name, hardware_address, addresses, neighbours,
                                   bytes_per_second, burst_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelReport, addresses, links, problem)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FileReport, path, text, problem, included)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlurmReport, address, pattern, description)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InfinibandReport, devices, description)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CoordinateReport, text, shape, origin)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LocalReport, host, topology, topology_origin, file, coordinate,
                                   kernel, slurm, infiniband, node, binding)

std::vector<std::byte> to_bytes(const LocalReport& report) {
  // CBOR, not JSON text: it carries the contents of files as they are, also if they are not valid
  // UTF-8.
  const std::vector<std::uint8_t> cbor = nlohmann::json::to_cbor(nlohmann::json(report));
  const auto bytes = std::as_bytes(std::span(cbor));
  return {bytes.begin(), bytes.end()};
}

LocalReport report_from_bytes(std::span<const std::byte> bytes) {
  try {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return nlohmann::json::from_cbor(begin, begin + bytes.size()).get<LocalReport>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::mismatch, fmt::format("another rank's topology report cannot be read; "
                                                 "do all ranks run the same build of Cuboid? ({})",
                                                 error.what()));
  }
}

}  // namespace cuboid::detail
