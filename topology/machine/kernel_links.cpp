#include "topology/machine/kernel_links.hpp"

#include <cuboid/error.hpp>

#include "topology/machine/address_text.hpp"
#include "topology/machine/token_bucket_filters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netlink/cache.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/neighbour.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <netlink/socket.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

struct FreeSocket {
  void operator()(nl_sock* socket) const { nl_socket_free(socket); }
};
using SocketHandle = std::unique_ptr<nl_sock, FreeSocket>;

struct FreeCache {
  void operator()(nl_cache* cache) const { nl_cache_free(cache); }
};
using CacheHandle = std::unique_ptr<nl_cache, FreeCache>;

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

/// Links by the kernel's number of the interface, ascending.
using LinksByIndex = std::map<int, LinkReport>;

void check(int code, std::string_view what) {
  if (code < 0) throw Error(ErrorCode::unsupported, fmt::format("{}: {}", what, nl_geterror(code)));
}

SocketHandle open_socket() {
  SocketHandle socket(nl_socket_alloc());
  if (socket == nullptr) throw Error(ErrorCode::out_of_memory, "no memory for a netlink socket");
  check(nl_connect(socket.get(), NETLINK_ROUTE), "cannot open a netlink socket");
  return socket;
}

/// Calls visit() with every object of a cache, as a pointer to Object.
template <typename Object, typename Visit>
void for_each(nl_cache* cache, Visit visit) {
  for (nl_object* object = nl_cache_get_first(cache); object != nullptr;
       object = nl_cache_get_next(object)) {
    visit(reinterpret_cast<Object*>(object));
  }
}

/// The text of an address, e.g. "10.0.0.1/30"; the prefix is left out if it is full.
std::string text_of(nl_addr* address) {
  std::array<char, 128> buffer{};
  return address == nullptr ? "" : nl_addr2str(address, buffer.data(), buffer.size());
}

std::string with_prefix(nl_addr* address) {
  return fmt::format("{}/{}", without_prefix(text_of(address)), nl_addr_get_prefixlen(address));
}

bool is_link_local(nl_addr* address) {
  if (nl_addr_get_family(address) != AF_INET6) return false;
  const auto* bytes = static_cast<const std::uint8_t*>(nl_addr_get_binary_addr(address));
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

/// True if a link can be one end of a cable. Tunnels and bridges cannot: their neighbours are not
/// at the other end of a cable.
bool can_be_cabled(rtnl_link* link) {
  const unsigned flags = rtnl_link_get_flags(link);
  // Asks for the carrier, not for IFF_RUNNING, which the kernel sets up to a second after a cable
  // is plugged in.
  if ((flags & IFF_UP) == 0 || (flags & IFF_LOOPBACK) != 0) return false;
  if (rtnl_link_get_carrier(link) == 0) return false;
  const char* type = rtnl_link_get_type(link);
  if (type == nullptr) return true;  // a device with its own hardware
  constexpr std::array<std::string_view, 6> wired = {"veth", "vlan", "ipoib",
                                                     "bond", "team", "dsa"};
  return std::ranges::find(wired, std::string_view(type)) != wired.end();
}

/// The link's speed as its driver reports it, in bytes per second; 0 if unknown. It is read by
/// ioctl, because /sys shows another namespace's links unless it was mounted anew.
double speed_of(const FileDescriptor& socket, const std::string& name) {
  ethtool_cmd command{};
  command.cmd = ETHTOOL_GSET;
  ifreq request{};
  name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  request.ifr_data = reinterpret_cast<char*>(&command);
  if (ioctl(socket.number(), SIOCETHTOOL, &request) != 0) return 0;
  const std::uint32_t megabits = ethtool_cmd_speed(&command);
  const bool known = megabits != 0 && megabits < std::numeric_limits<std::int32_t>::max();
  return known ? megabits * 1e6 / 8 : 0;
}

LinksByIndex read_links(nl_sock* socket) {
  nl_cache* raw = nullptr;
  check(rtnl_link_alloc_cache(socket, AF_UNSPEC, &raw), "cannot list links");
  const CacheHandle cache(raw);
  const FileDescriptor datagrams(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  LinksByIndex links;
  for_each<rtnl_link>(cache.get(), [&](rtnl_link* link) {
    if (!can_be_cabled(link)) return;
    LinkReport& report = links[rtnl_link_get_ifindex(link)];
    report.name = rtnl_link_get_name(link);
    report.hardware_address = text_of(rtnl_link_get_addr(link));
    report.bytes_per_second = speed_of(datagrams, report.name);
  });
  return links;
}

void read_addresses(nl_sock* socket, KernelReport& report, LinksByIndex& links) {
  nl_cache* raw = nullptr;
  check(rtnl_addr_alloc_cache(socket, &raw), "cannot list addresses");
  const CacheHandle cache(raw);
  for_each<rtnl_addr>(cache.get(), [&](rtnl_addr* entry) {
    nl_addr* address = rtnl_addr_get_local(entry);
    if (address == nullptr || rtnl_addr_get_scope(entry) == RT_SCOPE_HOST) return;
    if (!is_link_local(address)) report.addresses.push_back(without_prefix(text_of(address)));
    const auto link = links.find(rtnl_addr_get_ifindex(entry));
    if (link != links.end()) link->second.addresses.push_back(with_prefix(address));
  });
}

/// Replaces the links' rates by the rates of their token buckets. A link carries no more than its
/// token bucket allows, whatever its driver reports.
void read_token_buckets(nl_sock* socket, LinksByIndex& links) {
  for (const TokenBucketFilter& filter : read_token_bucket_filters(socket)) {
    const auto link = links.find(filter.link_index);
    if (link == links.end()) continue;
    link->second.bytes_per_second = filter.bytes_per_second;
    link->second.burst_bytes = filter.burst_bytes;
  }
}

/// The hardware addresses that the kernel knows, by link and address.
using Stations = std::map<std::pair<int, std::string>, std::string>;

Stations read_stations(nl_sock* socket) {
  nl_cache* raw = nullptr;
  check(rtnl_neigh_alloc_cache(socket, &raw), "cannot list neighbours");
  const CacheHandle cache(raw);
  Stations stations;
  for_each<rtnl_neigh>(cache.get(), [&](rtnl_neigh* entry) {
    nl_addr* address = rtnl_neigh_get_dst(entry);
    nl_addr* hardware = rtnl_neigh_get_lladdr(entry);
    if (address == nullptr || hardware == nullptr) return;
    stations[{rtnl_neigh_get_ifindex(entry), without_prefix(text_of(address))}] = text_of(hardware);
  });
  return stations;
}

bool is_host_route(rtnl_route* route) {
  nl_addr* destination = rtnl_route_get_dst(route);
  if (destination == nullptr || rtnl_route_get_table(route) != RT_TABLE_MAIN ||
      rtnl_route_get_type(route) != RTN_UNICAST) {
    return false;
  }
  const int family = nl_addr_get_family(destination);
  const unsigned whole = family == AF_INET ? 32 : 128;
  return (family == AF_INET || family == AF_INET6) && nl_addr_get_prefixlen(destination) == whole;
}

/// The neighbour on a next hop's link: the destination if there is no gateway, the gateway if it is
/// link-local, otherwise none.
nl_addr* direct_neighbour(rtnl_route* route, rtnl_nexthop* hop) {
  nl_addr* gateway = rtnl_route_nh_get_gateway(hop);
  if (gateway == nullptr) gateway = rtnl_route_nh_get_via(hop);
  if (gateway == nullptr) return rtnl_route_get_dst(route);
  return is_link_local(gateway) ? gateway : nullptr;
}

void read_neighbours(nl_sock* socket, LinksByIndex& links) {
  const Stations stations = read_stations(socket);
  nl_cache* raw = nullptr;
  check(rtnl_route_alloc_cache(socket, AF_UNSPEC, 0, &raw), "cannot list routes");
  const CacheHandle cache(raw);
  for_each<rtnl_route>(cache.get(), [&](rtnl_route* route) {
    if (!is_host_route(route)) return;
    for (int number = 0; number < rtnl_route_get_nnexthops(route); ++number) {
      rtnl_nexthop* hop = rtnl_route_nexthop_n(route, number);
      const int index = rtnl_route_nh_get_ifindex(hop);
      const auto link = links.find(index);
      nl_addr* neighbour = direct_neighbour(route, hop);
      if (link == links.end() || neighbour == nullptr) continue;
      NeighbourReport report{without_prefix(text_of(neighbour)), {}};
      const auto station = stations.find({index, report.address});
      if (station != stations.end()) report.hardware_address = station->second;
      auto& known = link->second.neighbours;
      if (std::ranges::find(known, report) == known.end()) known.push_back(std::move(report));
    }
  });
}

}  // namespace

KernelReport read_kernel_links() {
  KernelReport report;
  try {
    const SocketHandle socket = open_socket();
    LinksByIndex links = read_links(socket.get());
    read_addresses(socket.get(), report, links);
    read_token_buckets(socket.get(), links);
    read_neighbours(socket.get(), links);
    for (auto& [index, link] : links) report.links.push_back(std::move(link));
  } catch (const Error& error) {
    report = {};
    report.problem = error.what();
  }
  return report;
}

}  // namespace cuboid::detail
