#include "topology/sources/slurm_source.hpp"

#include "topology/slurm/slurm_topology.hpp"
#include "topology/sources/place_ranks.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// True if all ranks have an address of one form that names more than the node.
bool have_addresses(std::span<const LocalReport> reports) {
  const std::string& pattern = reports.front().slurm.pattern;
  const auto fits = [&](const LocalReport& report) {
    return !report.slurm.address.empty() && report.slurm.pattern == pattern;
  };
  return pattern.find('.') != std::string::npos && std::ranges::all_of(reports, fits);
}

Finding from_addresses(std::span<const LocalReport> reports, const Hosts& hosts) {
  std::vector<std::string> addresses;
  Finding finding;
  for (std::size_t host = 0; host < hosts.names.size(); ++host) {
    finding.network.add_node(hosts.names[host]);
    addresses.push_back(reports[static_cast<std::size_t>(hosts.first_rank[host])].slurm.address);
  }
  finding.node_of_rank = hosts.of_rank;
  finding.groups = groups_of_addresses(addresses, reports.front().slurm.pattern);
  finding.evidence = "SLURM_TOPOLOGY_ADDR of every rank; Slurm knows groups of hosts, not cables";
  return finding;
}

Answer from_file(const FileReport& file, const Hosts& hosts) {
  SlurmTopology topology = parse_slurm_topology(file.file());
  NamedPlaces places = place_by_name(topology.network, hosts);
  if (!places.missing.empty())
    return Declined{fmt::format("{} lacks the host {}", file.path, places.missing.front())};
  Finding finding;
  finding.node_of_rank = std::move(places.node_of_rank);
  finding.network = std::move(topology.network);
  finding.groups = std::move(topology.groups);
  finding.evidence = fmt::format("{}; Slurm knows groups of hosts, not cables", file.path);
  return finding;
}

}  // namespace

Answer groups_of_slurm(std::span<const LocalReport> reports, const Hosts& hosts) {
  if (have_addresses(reports)) return from_addresses(reports, hosts);
  const FileReport& file = reports.front().slurm.description;
  if (!file.text.empty()) return from_file(file, hosts);
  if (!reports.front().slurm.address.empty())
    return Declined{"Slurm here knows no switches or blocks"};
  return Declined{file.problem.empty()
                      ? "not started by Slurm, and no topology.yaml or topology.conf"
                      : file.problem};
}

}  // namespace cuboid::detail
