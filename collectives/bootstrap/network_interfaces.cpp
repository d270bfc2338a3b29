#include "collectives/bootstrap/network_interfaces.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

struct Interface {
  std::string name;
  std::string address;
};

std::string text_of(const sockaddr_in& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  return text.data();
}

std::vector<Interface> interfaces() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, &freeifaddrs);
  std::vector<Interface> found;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    const bool is_up = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || !is_up) continue;
    found.push_back({one->ifa_name, text_of(*reinterpret_cast<const sockaddr_in*>(one->ifa_addr))});
  }
  return found;
}

/// The own address that the kernel would send from. Connecting a UDP socket makes the kernel choose
/// it.
std::optional<std::string> source_towards(const std::string& address) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);  // any port
  if (inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) return std::nullopt;
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return std::nullopt;
  sockaddr_in from{};
  socklen_t length = sizeof from;
  const bool known = connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
                     getsockname(socket, reinterpret_cast<sockaddr*>(&from), &length) == 0;
  close(socket);
  return known ? std::optional(text_of(from)) : std::nullopt;
}

}  // namespace

std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  for (const Interface& one : interfaces()) addresses.push_back(one.address);
  return addresses;
}

std::set<std::string> interfaces_towards(std::span<const std::string> addresses) {
  const std::vector<Interface> own = interfaces();
  const auto has = [](const std::string& address) {
    return [&address](const Interface& one) { return one.address == address; };
  };
  std::set<std::string> found;
  for (const std::string& address : addresses) {
    if (std::ranges::any_of(own, has(address))) continue;
    const auto source = source_towards(address);
    if (!source) continue;
    const auto way = std::ranges::find_if(own, has(*source));
    if (way != own.end()) found.insert(way->name);
  }
  return found;
}

}  // namespace cuboid::detail
