#include "topology/machine/hosts.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string unused_name(const std::string& name, const std::set<std::string>& used) {
  const std::string wanted = name.empty() ? "host" : name;
  std::string candidate = wanted;
  for (int number = 2; used.contains(candidate); ++number)
    candidate = fmt::format("{}#{}", wanted, number);
  return candidate;
}

}  // namespace

Hosts group_by_host(std::span<const LocalReport> reports) {
  Hosts hosts;
  std::map<HostIdentity, int> numbers;
  std::set<std::string> used;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const auto [entry, added] = numbers.try_emplace(reports[rank].host, hosts.count());
    if (added) {
      hosts.names.push_back(unused_name(reports[rank].host.name, used));
      used.insert(hosts.names.back());
      hosts.first_rank.push_back(static_cast<int>(rank));
    }
    hosts.of_rank.push_back(entry->second);
  }
  return hosts;
}

}  // namespace cuboid::detail
