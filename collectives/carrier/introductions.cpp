#include "collectives/carrier/introductions.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/blob.hpp"
#include "collectives/bootstrap/network_interfaces.hpp"

#include <algorithm>
#include <climits>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Ranks can share memory when they have the host and its IPC namespace in common (containers may
// share only the host).
std::string node_identity(const std::string& host) {
  char space[64] = {};
  if (readlink("/proc/self/ns/ipc", space, sizeof space - 1) < 0) space[0] = '\0';
  return host + '/' + space;
}

// Ranks compete for cores when they are on one machine, even where containers or namespaces make
// them hosts of their own: what they have in common is the kernel's boot.
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

/// Throws the same on every rank where some have other settings than rank 0.
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

Introductions::Introductions(std::vector<Introduction> all) : ranks(std::move(all)) {
  std::set<std::string_view> nodes;
  for (const Introduction& one : ranks) nodes.insert(one.node);
  one_rank_per_node = nodes.size() == ranks.size();
}

std::shared_ptr<const Introductions> introduce(Bootstrap& bootstrap, const Environment& environment,
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

  std::vector<Introduction> ranks;
  std::vector<std::string> settings;
  for (const auto& blob : bootstrap.allgather(mine.bytes())) {
    BlobReader theirs(blob);
    Introduction one;
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
  return std::make_shared<const Introductions>(std::move(ranks));
}

bool on_one_node(const std::vector<Introduction>& ranks) {
  return std::ranges::all_of(
      ranks, [&](const Introduction& one) { return one.node == ranks.front().node; });
}

std::vector<int> ranks_of_node(const std::vector<Introduction>& ranks, int rank) {
  std::vector<int> here;
  for (std::size_t peer = 0; peer < ranks.size(); ++peer) {
    if (ranks[peer].node == ranks[static_cast<std::size_t>(rank)].node)
      here.push_back(static_cast<int>(peer));
  }
  return here;
}

}  // namespace cuboid::detail
