#include "topology/sources/kernel_source.hpp"

#include "topology/machine/address_text.hpp"
#include "topology/network/connected.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// One end of a possible cable: the number of a host and the number of its link.
struct End {
  int host = 0;
  int link = 0;
  auto operator<=>(const End&) const = default;
};

/// The hosts and links that are directly behind a link.
struct Claim {
  std::set<int> hosts;    ///< hosts of the job
  std::set<End> ends;     ///< their links, if they are known
  bool stranger = false;  ///< a host outside the job
};

/// Values by key. A key with two different values has no value.
template <typename Value>
class UniqueIndex {
 public:
  void add(const std::string& key, Value value) {
    const auto [entry, added] = values_.try_emplace(key, value);
    if (!added && entry->second != value) entry->second = std::nullopt;
  }
  std::optional<Value> find(const std::string& key) const {
    const auto entry = values_.find(key);
    return entry == values_.end() ? std::nullopt : entry->second;
  }

 private:
  std::map<std::string, std::optional<Value>> values_;
};

/// The key of the subnet of an address such as "10.1.0.1/30", if the subnet has room for only two
/// ends.
std::optional<std::string> subnet_of_two(const std::string& address) {
  const std::size_t slash = address.find('/');
  if (slash == std::string::npos) return std::nullopt;
  unsigned prefix = 0;
  std::from_chars(address.data() + slash + 1, address.data() + address.size(), prefix);
  std::array<std::uint8_t, 16> bytes{};
  const int family = address.find(':') == std::string::npos ? AF_INET : AF_INET6;
  const unsigned whole = family == AF_INET ? 32 : 128;
  if (inet_pton(family, without_prefix(address).c_str(), bytes.data()) != 1) return std::nullopt;
  if (prefix != whole - 1 && prefix != whole - 2) return std::nullopt;
  const unsigned host_bits = whole - prefix;
  auto& last = bytes[whole / 8 - 1];
  last = static_cast<std::uint8_t>(last >> host_bits << host_bits);
  return fmt::format("{:02x}/{}", fmt::join(bytes.begin(), bytes.begin() + whole / 8, ""), prefix);
}

class Pool {
 public:
  Pool(std::span<const LocalReport> reports, const Hosts& hosts) : hosts_(hosts) {
    for (const int rank : hosts.first_rank)
      kernels_.push_back(&reports[static_cast<std::size_t>(rank)].kernel);
    index_addresses();
    for (const End end : all_ends()) claims_[end] = claim_of(end);
    drop_shared_media();
    join_known_ends();
    join_by_host();
    join_one_sided();
  }

  Network network() const {
    Network network;
    for (const std::string& name : hosts_.names) network.add_node(name);
    for (const auto& [a, b] : cables_) network.add_cable(a.host, b.host, rate(a, b));
    return network;
  }

  std::size_t cables() const { return cables_.size(); }
  /// The smallest burst of all ends of cables.
  double burst_bytes() const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [a, b] : cables_)
      least = std::min({least, link(a).burst_bytes, link(b).burst_bytes});
    return cables_.empty() ? 0 : least;
  }
  int one_sided() const { return one_sided_; }
  /// The number of links that lead to hosts without ranks, to several hosts at once, or to a host
  /// whose links do not lead back.
  int unused_links() const {
    return static_cast<int>(std::ranges::count_if(claims_, [this](const auto& entry) {
      return !joined_.contains(entry.first) &&
             (!entry.second.hosts.empty() || entry.second.stranger);
    }));
  }

 private:
  const LinkReport& link(End end) const {
    return kernels_[static_cast<std::size_t>(end.host)]->links[static_cast<std::size_t>(end.link)];
  }

  std::vector<End> all_ends() const {
    std::vector<End> ends;
    for (int host = 0; host < hosts_.count(); ++host) {
      const int links = static_cast<int>(kernels_[static_cast<std::size_t>(host)]->links.size());
      for (int number = 0; number < links; ++number) ends.push_back({host, number});
    }
    return ends;
  }

  void index_addresses() {
    for (int host = 0; host < hosts_.count(); ++host) {
      for (const std::string& address : kernels_[static_cast<std::size_t>(host)]->addresses) {
        host_of_address_.add(address, host);
      }
    }
    for (const End end : all_ends()) {
      if (!link(end).hardware_address.empty()) end_of_address_.add(link(end).hardware_address, end);
      for (const std::string& address : link(end).addresses) {
        if (address.starts_with("fe80:")) end_of_address_.add(without_prefix(address), end);
        if (const auto subnet = subnet_of_two(address)) subnets_[*subnet].insert(end);
      }
    }
  }

  Claim claim_of(End end) const {
    Claim claim;
    for (const NeighbourReport& neighbour : link(end).neighbours) {
      // The hardware address belongs to the device at the other end. The address itself may belong
      // to any device behind that.
      auto other = end_of_address_.find(neighbour.hardware_address);
      if (!other) other = end_of_address_.find(neighbour.address);
      const auto host = other ? other->host : host_of_address_.find(neighbour.address);
      if (!host) claim.stranger = true;
      if (!host || *host == end.host) continue;
      claim.hosts.insert(*host);
      if (other) claim.ends.insert(*other);
    }
    for (const std::string& address : link(end).addresses) {
      const auto subnet = subnet_of_two(address);
      if (!subnet || subnets_.at(*subnet).size() != 2) continue;
      for (const End other : subnets_.at(*subnet)) {
        if (other.host == end.host) continue;
        claim.hosts.insert(other.host);
        claim.ends.insert(other);
      }
    }
    return claim;
  }

  /// Drops links that are connected to a switch or a bus: a link with several other links behind
  /// it, or a link that several links name as behind them.
  void drop_shared_media() {
    std::map<End, std::set<End>> named_by;
    for (const auto& [end, claim] : claims_) {
      if (claim.hosts.size() > 1 || claim.ends.size() > 1) shared_.insert(end);
      for (const End other : claim.ends) named_by[other].insert(end);
    }
    for (const auto& [end, others] : named_by) {
      if (others.size() > 1) shared_.insert(end);
    }
  }

  bool is_free(End end) const { return !joined_.contains(end) && !shared_.contains(end); }

  /// True if a link is up and no host is known behind it.
  bool is_silent(End end) const {
    const Claim& claim = claims_.at(end);
    return claim.hosts.empty() && !claim.stranger;
  }

  void join(End a, End b) {
    cables_.emplace_back(std::min(a, b), std::max(a, b));
    joined_.insert({a, b});
  }

  void join_known_ends() {
    for (const auto& [end, claim] : claims_) {
      if (claim.ends.empty() || !is_free(end)) continue;
      const End other = *claim.ends.begin();
      const Claim& back = claims_.at(other);
      if (!is_free(other)) continue;
      const bool confirmed =
          back.ends.contains(end) || (back.ends.empty() && back.hosts.contains(end.host));
      if (!confirmed && !is_silent(other)) continue;
      one_sided_ += confirmed ? 0 : 1;
      join(end, other);
    }
  }

  /// The free links of `from` behind which `to` is, in the order of their rates.
  std::vector<End> free_claims(int from, int to) const {
    std::vector<End> ends;
    for (auto entry = claims_.lower_bound({from, 0});
         entry != claims_.end() && entry->first.host == from; ++entry) {
      if (entry->second.hosts.contains(to) && is_free(entry->first)) ends.push_back(entry->first);
    }
    std::ranges::stable_sort(ends, {}, [this](End end) { return link(end).bytes_per_second; });
    return ends;
  }

  void join_by_host() {
    for (const auto& [end, claim] : claims_) {
      if (!is_free(end)) continue;
      for (const int other : claim.hosts) {
        const std::vector<End> here = free_claims(end.host, other);
        const std::vector<End> there = free_claims(other, end.host);
        for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i)
          join(here[i], there[i]);
      }
    }
  }

  void join_one_sided() {
    for (const auto& [end, claim] : claims_) {
      if (claim.hosts.empty() || !is_free(end)) continue;
      const int other = *claim.hosts.begin();
      for (auto entry = claims_.lower_bound({other, 0});
           entry != claims_.end() && entry->first.host == other; ++entry) {
        if (!is_free(entry->first) || !is_silent(entry->first)) continue;
        join(end, entry->first);
        ++one_sided_;
        break;
      }
    }
  }

  /// The rate of a cable: the lower rate of its ends. An end whose rate is unknown does not count.
  double rate(End a, End b) const {
    const auto [low, high] = std::minmax(link(a).bytes_per_second, link(b).bytes_per_second);
    return low > 0 ? low : high;
  }

  const Hosts& hosts_;
  std::vector<const KernelReport*> kernels_;  ///< one per host
  UniqueIndex<int> host_of_address_;
  UniqueIndex<End> end_of_address_;  ///< by hardware address and by link-local address
  std::map<std::string, std::set<End>> subnets_;
  std::map<End, Claim> claims_;
  std::set<End> shared_;
  std::set<End> joined_;
  std::vector<std::pair<End, End>> cables_;
  int one_sided_ = 0;
};

std::string evidence(const Hosts& hosts, const Pool& pool) {
  std::string text = fmt::format(
      "links and routes in the kernels of {} hosts: {} cables, {}", hosts.count(), pool.cables(),
      pool.one_sided() == 0 ? "each seen from both ends"
                            : fmt::format("{} of them seen from one end only", pool.one_sided()));
  if (pool.unused_links() > 0) {
    text += fmt::format("; {} further links lead to no host of this job, or to several",
                        pool.unused_links());
  }
  return text;
}

}  // namespace

Answer pool_kernel_reports(std::span<const LocalReport> reports, const Hosts& hosts) {
  for (int host = 0; host < hosts.count(); ++host) {
    const auto first = static_cast<std::size_t>(hosts.first_rank[static_cast<std::size_t>(host)]);
    const std::string& problem = reports[first].kernel.problem;
    if (!problem.empty()) {
      return Declined{fmt::format("{}: {}", hosts.names[static_cast<std::size_t>(host)], problem)};
    }
  }
  if (hosts.count() < 2) return Declined{"all ranks are on one host"};
  const Pool pool(reports, hosts);
  if (pool.cables() == 0) return Declined{"no two hosts are joined by a cable: a switched network"};
  Finding finding{pool.network(), hosts.of_rank,     {}, evidence(hosts, pool), {},
                  true,           pool.burst_bytes()};
  if (const auto stranded = unreachable_node(finding.network)) {
    return Declined{fmt::format("cables join some hosts, but no path leads from {} to {}",
                                hosts.names.front(),
                                hosts.names[static_cast<std::size_t>(*stranded)])};
  }
  return finding;
}

}  // namespace cuboid::detail
