#include "collectives/carrier/peer_information.hpp"

#include <cuboid/error.hpp>

#include "base/host_name.hpp"
#include "collectives/bootstrap/blob.hpp"
#include "collectives/bootstrap/network_interfaces.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

// Ranks can share memory if they have the same host and the same IPC namespace (containers may
// share only the host).
std::string node_identity(const std::string& host) {
  char space[64] = {};
  if (readlink("/proc/self/ns/ipc", space, sizeof space - 1) < 0) space[0] = '\0';
  return host + '/' + space;
}

// Ranks compete for cores if they are on one machine, even if containers or namespaces make
// different hosts of them. What they have in common is the kernel's boot.
std::string machine_identity(const std::string& host) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  return std::getline(file, boot) ? boot : host;
}

/// The settings that decide which messages ranks exchange: if they differed, ranks would wait for
/// messages that nobody sends.
std::string common_settings(const Environment& environment) {
  constexpr const char* transports[] = {"auto", "ucx", "mpi"};
  return fmt::format("CUBOID_ALGORITHM={} CUBOID_TRANSPORT={} CUBOID_CHECK={}",
                     environment.algorithm.value_or(""),
                     transports[static_cast<std::size_t>(environment.transport)],
                     environment.compares_calls() ? "collective" : "arguments");
}

/// Throws the same error on every rank if some rank has other settings than rank 0.
void require_common(const std::vector<std::string>& settings) {
  const auto other = std::ranges::find_if(
      settings, [&](const std::string& one) { return one != settings.front(); });
  if (other == settings.end()) return;
  throw Error(ErrorCode::mismatch,
              fmt::format("rank 0 has {}, rank {} has {}: set them alike on all ranks; launchers "
                          "may have to be told to pass variables on",
                          settings.front(), other - settings.begin(), *other));
}

}  // namespace

namespace {

// Gives different values different numbers, counted from 0.
template <class Value>
class Numbering {
 public:
  // Returns the value's number, and true if the value is new.
  std::pair<std::int32_t, bool> operator()(const Value& value) {
    const auto [found, is_new] =
        numbers_.try_emplace(value, static_cast<std::int32_t>(numbers_.size()));
    return {found->second, is_new};
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::map<Value, std::int32_t> numbers_;
};

// The interfaces of this rank's host that lead to the hosts of other ranks.
std::set<std::string> interfaces_to_others_of(std::span<const RankInformation> all, int rank) {
  std::vector<std::string> addresses;
  std::set<std::string_view> nodes{all[static_cast<std::size_t>(rank)].node};
  for (const RankInformation& one : all) {
    if (!nodes.insert(one.node).second) continue;
    std::istringstream words(one.addresses);
    for (std::string address; words >> address;) addresses.push_back(address);
  }
  return interfaces_towards(addresses);
}

}  // namespace

PeerInformation::PeerInformation(std::span<const RankInformation> all, int rank)
    : interfaces_to_others_(interfaces_to_others_of(all, rank)) {
  Numbering<std::string_view> hosts, nodes, machines;
  Numbering<CoreSet> cores;
  ranks_.reserve(all.size());
  for (const RankInformation& one : all) {
    const auto [host, new_host] = hosts(one.host);
    if (new_host) {
      hosts_ += one.host;
      host_ends_.push_back(static_cast<std::uint32_t>(hosts_.size()));
    }
    const auto [set, new_set] = cores(one.cores);
    if (new_set) cores_.push_back(one.cores);
    ranks_.push_back({host, nodes(one.node).first, machines(one.machine).first, set});
  }
  hosts_.shrink_to_fit();
  host_ends_.shrink_to_fit();
  if (nodes.size() == all.size()) return;
  for (const RankInformation& one : all) memory_.push_back(one.memory);
}

std::string_view PeerInformation::host(int rank) const {
  const auto number = static_cast<std::size_t>(at(rank).host);
  const std::size_t begin = number == 0 ? 0 : host_ends_[number - 1];
  return std::string_view(hosts_).substr(begin, host_ends_[number] - begin);
}

bool PeerInformation::on_one_node() const {
  return std::ranges::all_of(ranks_,
                             [&](const Numbers& one) { return one.node == ranks_.front().node; });
}

std::vector<int> PeerInformation::ranks_of_node(int rank) const {
  std::vector<int> here;
  for (int peer = 0; peer < size(); ++peer) {
    if (same_node(peer, rank)) here.push_back(peer);
  }
  return here;
}

std::shared_ptr<const PeerInformation> introduce(Bootstrap& bootstrap,
                                                 const Environment& environment,
                                                 const MemoryBeacon& beacon) {
  const std::string host = host_name();
  BlobWriter mine;
  mine.add(host);
  mine.add(node_identity(host));
  mine.add(machine_identity(host));
  mine.add(usable_cores());
  mine.add(std::vector{beacon.probe()});
  std::string addresses;
  for (const std::string& address : own_addresses()) addresses += address + ' ';
  mine.add(addresses);
  mine.add(common_settings(environment));

  std::vector<RankInformation> ranks;
  std::vector<std::string> settings;
  for (const auto& blob : bootstrap.allgather(mine.bytes())) {
    BlobReader theirs(blob);
    RankInformation one;
    one.host = theirs.text();
    one.node = theirs.text();
    one.machine = theirs.text();
    one.cores = theirs.vector<int>();
    one.memory = theirs.vector<MemoryProbe>().at(0);
    one.addresses = theirs.text();
    settings.push_back(theirs.text());
    ranks.push_back(std::move(one));
  }
  require_common(settings);
  return std::make_shared<const PeerInformation>(ranks, bootstrap.rank());
}

}  // namespace cuboid::detail
