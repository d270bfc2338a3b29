#include "topology/discovery/doubts.hpp"

#include "topology/discovery/induced.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string about_rates(const Network& network) {
  const auto unknown = [](const Link& link) { return link.bytes_per_second <= 0; };
  const auto count = std::ranges::count_if(network.links(), unknown);
  if (count == 0 || std::cmp_equal(count, network.links().size())) return "";
  const Link& one = *std::ranges::find_if(network.links(), unknown);
  return fmt::format(
      "{} of {} cables of the network have no rate, e.g. {} - {}: all count as equally fast; give "
      "their rates, too",
      count / 2, network.cables(), network.name(one.from), network.name(one.to));
}

std::string about_connections(const Discovery& discovery) {
  const std::set<int> hosts(discovery.node_of_rank.begin(), discovery.node_of_rank.end());
  const std::vector<int> all(hosts.begin(), hosts.end());
  if (all.size() < 2 || network_between(discovery, all)) return "";
  return fmt::format(
      "no cables lead between all of the job's {} hosts without passing others, as far as the "
      "network is known: collectives of all ranks go as if it were not; check it with cuboid topo",
      all.size());
}

}  // namespace

std::vector<std::string> doubts_about(const Discovery& discovery) {
  std::vector<std::string> doubts = discovery.doubts;
  if (!discovery.recognition) return doubts;
  doubts.push_back(about_rates(discovery.network));
  doubts.push_back(about_connections(discovery));
  std::erase(doubts, "");
  return doubts;
}

}  // namespace cuboid::detail
