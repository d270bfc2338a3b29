#include "topology/sources/infiniband_source.hpp"

#include "topology/sources/place_ranks.hpp"
#include "topology/sources/topology_file.hpp"

#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string why_no_description(const InfinibandReport& infiniband) {
  if (infiniband.devices.empty()) return "no InfiniBand device on the first rank's host";
  return fmt::format("{}; run ibnetdiscover > FILE once as root and set CUBOID_TOPOLOGY=file:FILE",
                     infiniband.description.problem.empty() ? "the fabric's description is missing"
                                                            : infiniband.description.problem);
}

}  // namespace

Answer network_of_fabric(std::span<const LocalReport> reports, const Hosts& hosts) {
  const InfinibandReport& infiniband = reports.front().infiniband;
  const FileReport& file = infiniband.description;
  if (file.text.empty()) return Declined{why_no_description(infiniband)};
  TopologyFile fabric = parse_topology_file(file.file());
  if (fabric.kind != TopologyFileKind::ibnetdiscover) {
    return Declined{fmt::format("{} is {}, not the output of ibnetdiscover", file.path,
                                to_string(fabric.kind))};
  }
  NamedPlaces places = place_by_name(fabric.network, hosts);
  if (!places.missing.empty())
    return Declined{fmt::format("{} lacks the host {}", file.path, places.missing.front())};
  Finding finding;
  finding.node_of_rank = std::move(places.node_of_rank);
  finding.network = std::move(fabric.network);
  finding.groups = std::move(fabric.groups);
  finding.doubts = std::move(fabric.doubts);
  finding.evidence = fmt::format("{}: the fabric as it was when this file was written", file.path);
  finding.cables_known = true;
  return finding;
}

}  // namespace cuboid::detail
