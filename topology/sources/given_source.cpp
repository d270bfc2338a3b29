#include "topology/sources/given_source.hpp"

#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "topology/sources/coordinate_source.hpp"
#include "topology/sources/place_ranks.hpp"
#include "topology/sources/shape_network.hpp"
#include "topology/sources/topology_file.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string sentence(std::string_view first, const std::string& more) {
  return more.empty() ? std::string(first) : fmt::format("{}; {}", first, more);
}

/// The places of the hosts that the file names; empty if it names no host of the job.
std::vector<int> places_by_name(const TextFile& file, const Network& network, const Hosts& hosts) {
  NamedPlaces places = place_by_name(network, hosts);
  const std::size_t known = hosts.names.size() - places.missing.size();
  if (known > 0 && !places.missing.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} lacks the host {}, although it lists {} others of this job",
                            file.name, places.missing.front(), known));
  }
  return places.node_of_rank;
}

}  // namespace

Finding network_of_spec(const std::string& text, std::span<const LocalReport> reports,
                        const Hosts& hosts) {
  const ShapeSpec spec = parse_shape(text);
  Finding finding;
  if (const auto coordinates = coordinates_of_hosts(reports, hosts)) {
    finding.network = network_with_hosts(spec, hosts, *coordinates);
    finding.node_of_rank = nodes_of_ranks(spec.shape, hosts, *coordinates);
    finding.evidence = "the shape as given, not checked; hosts at the coordinates their ranks have";
  } else {
    require_places(spec.shape.nodes(), hosts, text);
    finding.network = Network::of_shape(spec.shape, spec.bytes_per_second);
    RankPlaces places = place_in_order(finding.network, hosts, text);
    finding.node_of_rank = std::move(places.node_of_rank);
    finding.evidence = sentence("the shape as given, not checked", places.how);
  }
  finding.given_shape = spec.shape;
  finding.cables_known = true;
  return finding;
}

Finding network_of_file(const TextFile& file, const Hosts& hosts) {
  TopologyFile parsed = parse_topology_file(file);
  RankPlaces places{places_by_name(file, parsed.network, hosts), ""};
  if (places.node_of_rank.empty() && hosts.count() > 0) {
    places = place_in_order(parsed.network, hosts, file.name);
    places.how = "it lists none of this job's hosts; " + places.how;
  }
  Finding finding;
  finding.evidence =
      sentence(fmt::format("{}: {}, not checked", file.name, to_string(parsed.kind)), places.how);
  finding.network = std::move(parsed.network);
  finding.node_of_rank = std::move(places.node_of_rank);
  finding.groups = std::move(parsed.groups);
  finding.doubts = std::move(parsed.doubts);
  finding.cables_known = parsed.kind != TopologyFileKind::slurm_topology;
  return finding;
}

}  // namespace cuboid::detail
