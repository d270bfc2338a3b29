#include "topology/discovery/discover_from.hpp"

#include <cuboid/discovery.hpp>
#include <cuboid/error.hpp>

#include "topology/sources/coordinate_source.hpp"
#include "topology/sources/given_source.hpp"
#include "topology/sources/infiniband_source.hpp"
#include "topology/sources/kernel_source.hpp"
#include "topology/sources/slurm_source.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

using Reports = std::span<const LocalReport>;

constexpr std::string_view file_prefix = "file:";

Answer one_group_per_host(Reports, const Hosts& hosts) {
  Finding finding;
  for (const std::string& name : hosts.names) {
    finding.groups.push_back({name, 0, {finding.network.add_node(name)}});
  }
  finding.node_of_rank = hosts.of_rank;
  finding.evidence = hosts.count() == 1
                         ? "all ranks are on one host"
                         : fmt::format("the network between {} hosts is unknown", hosts.count());
  if (hosts.count() == 1) finding.given_shape = Shape();
  finding.cables_known = hosts.count() == 1;
  return finding;
}

/// A source that needs only the reports, and the function that asks it.
struct AskedSource {
  Source source;
  Answer (*ask)(Reports, const Hosts&);
};

constexpr std::array<AskedSource, 5> asked_sources = {
    {{Source::coordinates, network_of_coordinates},
     {Source::kernel, pool_kernel_reports},
     {Source::infiniband, network_of_fabric},
     {Source::slurm, groups_of_slurm},
     {Source::flat, one_group_per_host}}};

/// The source that a topology names; nullptr if it names none.
const AskedSource* selected_by(const std::string& topology) {
  const auto* const selected = std::ranges::find_if(
      asked_sources, [&](const AskedSource& asked) { return to_string(asked.source) == topology; });
  return selected == asked_sources.end() ? nullptr : selected;
}

/// For each axis, the rate of the first node's cable in + direction; 0 if there is none.
std::vector<double> rates_along_axes(const Shape& shape, const Network& network) {
  std::vector<double> rates;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    const NodeIndex next = shape.neighbour(0, axis, +1);
    double rate = 0;
    for (const int number : network.links_from(0)) {
      const Link& link = network.links()[static_cast<std::size_t>(number)];
      if (link.to == next) rate = link.bytes_per_second;
    }
    rates.push_back(rate);
  }
  return rates;
}

/// The recognition of a network that was made from its shape node by node.
Recognition recognition_of(const Shape& shape, const Network& network) {
  Recognition recognition;
  recognition.whole = true;
  recognition.shape = shape;
  recognition.place.resize(static_cast<std::size_t>(network.nodes()));
  std::iota(recognition.place.begin(), recognition.place.end(), NodeIndex{0});
  recognition.parallel_cables.assign(shape.axes().size(), 1);
  recognition.bytes_per_second = rates_along_axes(shape, network);
  return recognition;
}

void adopt(Discovery& discovery, Source source, Finding finding) {
  discovery.source = source;
  discovery.evidence = std::move(finding.evidence);
  discovery.doubts = std::move(finding.doubts);
  discovery.network = std::move(finding.network);
  discovery.node_of_rank = std::move(finding.node_of_rank);
  discovery.groups = std::move(finding.groups);
  discovery.burst_bytes = finding.burst_bytes;
  if (finding.given_shape) {
    discovery.recognition = recognition_of(*finding.given_shape, discovery.network);
  } else if (finding.cables_known) {
    discovery.recognition = recognise(discovery.network);
  }
}

/// The topology that all ranks ask for. Throws Error(mismatch) if ranks ask for different
/// topologies.
const std::string& common_topology(Reports reports) {
  const LocalReport& first = reports.front();
  for (std::size_t rank = 1; rank < reports.size(); ++rank) {
    if (reports[rank].topology != first.topology) {
      throw Error(ErrorCode::mismatch,
                  fmt::format("{} is {} on rank 0 but {} on rank {}: give all ranks the same",
                              first.topology_origin, in_quotes(first.topology),
                              in_quotes(reports[rank].topology), rank));
    }
  }
  return first.topology;
}

Finding finding_in_file(const FileReport& file, const Hosts& hosts) {
  if (!file.problem.empty()) throw Error(ErrorCode::io, file.problem);
  return network_of_file(file.file(), hosts);
}

/// Asks one source and no other.
Finding ask_selected(const AskedSource& selected, Reports reports, const Hosts& hosts) {
  Answer answer = selected.ask(reports, hosts);
  if (const auto* declined = std::get_if<Declined>(&answer)) {
    throw Error(ErrorCode::unsupported, fmt::format("{}={}: {}", reports.front().topology_origin,
                                                    to_string(selected.source), declined->reason));
  }
  return std::get<Finding>(std::move(answer));
}

/// Asks one source. A malformed description that the user did not ask for is skipped. Ranks that
/// contradict each other are an error.
Answer ask(const AskedSource& asked, Reports reports, const Hosts& hosts) {
  try {
    return asked.ask(reports, hosts);
  } catch (const Error& error) {
    const bool found_by_chance =
        asked.source == Source::infiniband || asked.source == Source::slurm;
    if (!found_by_chance || error.code() != ErrorCode::parse) throw;
    return Declined{error.what()};
  }
}

void ask_in_order(Discovery& discovery, Reports reports, const Hosts& hosts) {
  for (const AskedSource& asked : asked_sources) {
    Answer answer = ask(asked, reports, hosts);
    if (auto* finding = std::get_if<Finding>(&answer)) {
      adopt(discovery, asked.source, std::move(*finding));
      return;
    }
    discovery.skipped.push_back({asked.source, std::get<Declined>(std::move(answer)).reason});
  }
}

void find_network(Discovery& discovery, Reports reports, const Hosts& hosts) {
  const std::string& topology = common_topology(reports);
  if (topology.empty() || topology == "auto") {
    const std::string reason = "CUBOID_TOPOLOGY does not give a network";
    discovery.skipped = {{Source::shape, reason}, {Source::file, reason}};
    ask_in_order(discovery, reports, hosts);
    return;
  }
  if (const AskedSource* const selected = selected_by(topology)) {
    adopt(discovery, selected->source, ask_selected(*selected, reports, hosts));
    return;
  }
  try {
    if (topology.starts_with(file_prefix)) {
      adopt(discovery, Source::file, finding_in_file(reports.front().file, hosts));
    } else {
      adopt(discovery, Source::shape, network_of_spec(topology, reports, hosts));
    }
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}={}: {}", reports.front().topology_origin, topology, error.what()));
  }
}

bool names_no_shape(const std::string& topology) {
  return topology == "auto" || topology.starts_with(file_prefix) ||
         selected_by(topology) != nullptr;
}

}  // namespace

Discovery discover_from(std::span<const LocalReport> reports) {
  if (reports.empty())
    throw Error(ErrorCode::invalid_argument, "discovery needs at least one rank's report");
  Discovery discovery;
  discovery.hosts = group_by_host(reports);
  for (const int rank : discovery.hosts.first_rank) {
    discovery.insides.push_back(reports[static_cast<std::size_t>(rank)].node);
  }
  for (const LocalReport& report : reports) discovery.bindings.push_back(report.binding);
  find_network(discovery, reports, discovery.hosts);
  return discovery;
}

void check_variables(const Environment& environment) {
  if (environment.topology && !names_no_shape(*environment.topology)) {
    try {
      parse_shape(*environment.topology);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("CUBOID_TOPOLOGY={}: {}",
                                            in_quotes(*environment.topology), error.what()));
    }
  }
  if (environment.coordinate) parse_coordinate(*environment.coordinate, "CUBOID_COORDINATE");
}

Discovery describe_file(const TextFile& file) {
  Discovery discovery;
  adopt(discovery, Source::file, network_of_file(file, discovery.hosts));
  return discovery;
}

}  // namespace cuboid::detail
