// What the transport's ranks tell each other, and agree on, when they meet.

#include <cuboid/error.hpp>

#include "collectives/transport/transport.hpp"
#include "collectives/transport/ucx_status.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

void append(std::vector<std::byte>& blob, const void* data, std::size_t bytes) {
  const auto length = static_cast<std::uint64_t>(bytes);
  const auto* first = reinterpret_cast<const std::byte*>(&length);
  blob.insert(blob.end(), first, first + sizeof length);
  const auto* payload = static_cast<const std::byte*>(data);
  blob.insert(blob.end(), payload, payload + bytes);
}

std::vector<std::byte> take(std::span<const std::byte>& blob) {
  std::uint64_t length = 0;
  if (blob.size() < sizeof length)
    throw Error(ErrorCode::internal, "bootstrap: a rank's address is cut short");
  std::memcpy(&length, blob.data(), sizeof length);
  blob = blob.subspan(sizeof length);
  if (blob.size() < length)
    throw Error(ErrorCode::internal, "bootstrap: a rank's address is cut short");
  std::vector<std::byte> bytes(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(length));
  blob = blob.subspan(length);
  return bytes;
}

std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What decides what ranks say to each other: where it differed, they would wait for what nobody
/// sends.
std::string common_settings(const Environment& environment) {
  return fmt::format("CUBOID_ALGORITHM={} CUBOID_CHECK={}", environment.algorithm.value_or(""),
                     environment.compares_calls() ? "collective" : "arguments");
}

/// Throws the same on every rank where some have other settings than rank 0.
void require_common(const std::vector<std::string>& settings) {
  const auto other = std::ranges::find_if(
      settings, [&](const std::string& one) { return one != settings.front(); });
  if (other == settings.end()) return;
  throw Error(
      ErrorCode::mismatch,
      fmt::format("rank 0 has {}, rank {} has {}: set both alike on all ranks; launchers may "
                  "have to be told to pass variables on",
                  settings.front(), other - settings.begin(), *other));
}

/// Whether all ranks of this node say yes. Collective over the bootstrap.
bool whole_node_says(Bootstrap& bootstrap, const std::vector<int>& here, bool mine) {
  const std::byte answer{mine ? std::uint8_t{1} : std::uint8_t{0}};
  const auto answers = bootstrap.allgather(std::span(&answer, 1));
  return std::all_of(here.begin(), here.end(), [&answers](int rank) {
    return answers[static_cast<std::size_t>(rank)][0] == std::byte{1};
  });
}

}  // namespace

void Transport::exchange_addresses(Bootstrap& bootstrap) {
  ucp_address_t* address = nullptr;
  std::size_t address_bytes = 0;
  require(ucp_worker_get_address(worker_.get(), &address, &address_bytes),
          "getting the worker's address");
  const std::string host = host_name();
  const std::string node = node_identity(host);
  std::vector<std::byte> mine;
  append(mine, address, address_bytes);
  append(mine, host.data(), host.size());
  append(mine, node.data(), node.size());
  const std::string machine = machine_identity(host);
  append(mine, machine.data(), machine.size());
  const CoreSet cores = usable_cores();
  append(mine, cores.data(), cores.size() * sizeof cores[0]);
  const MemoryProbe memory = memory_beacon_.probe();
  append(mine, &memory, sizeof memory);
  const std::string settings = common_settings(environment_);
  append(mine, settings.data(), settings.size());
  ucp_worker_release_address(worker_.get(), address);

  const auto blobs = bootstrap.allgather(mine);
  peers_.resize(blobs.size());
  std::vector<std::string> settings_of_ranks;
  for (std::size_t peer = 0; peer < blobs.size(); ++peer) {
    std::span<const std::byte> blob = blobs[peer];
    peers_[peer].address = take(blob);
    peers_[peer].host = text(take(blob));
    peers_[peer].node = text(take(blob));
    peers_[peer].machine = text(take(blob));
    const std::vector<std::byte> cores_of_peer = take(blob);
    peers_[peer].cores.resize(cores_of_peer.size() / sizeof(int));
    std::memcpy(peers_[peer].cores.data(), cores_of_peer.data(), cores_of_peer.size());
    const std::vector<std::byte> memory_of_peer = take(blob);
    std::memcpy(&peers_[peer].memory, memory_of_peer.data(), sizeof(MemoryProbe));
    settings_of_ranks.push_back(text(take(blob)));
  }
  require_common(settings_of_ranks);
}

std::vector<int> Transport::ranks_of_node() const {
  std::vector<int> here;
  for (int peer = 0; peer < size(); ++peer) {
    if (same_node(peer)) here.push_back(peer);
  }
  return here;
}

// Sender and receiver must come to the same decision: single copies are made on a node where every
// rank can read the memory of every other.
void Transport::agree_on_single_copies(Bootstrap& bootstrap) {
  const std::vector<int> here = ranks_of_node();
  const bool readable =
      std::all_of(here.begin(), here.end(), [this](int peer) { return can_read(at(peer).memory); });
  const bool all_readable = whole_node_says(bootstrap, here, readable);
  for (const int peer : here) at(peer).single_copy = all_readable;
  if (!all_readable && rank_ == here.front()) {
    logger_.warn(
        "ranks on this node may not read each other's memory, so long messages are copied twice; "
        "allow process_vm_readv (in containers: the capability SYS_PTRACE and one PID namespace)");
  }
}

// Mailboxes serve ranks that poll: one that shares its core with others had better sleep. Threads
// of one process have less to gain, and what looks after them (sanitizers) sees one memory, not
// two.
bool Transport::wants_mailboxes(const std::vector<int>& here) const {
  std::set<std::int64_t> processes;
  for (const int peer : here) processes.insert(at(peer).memory.process);
  return here.size() > 1 && processes.size() == here.size() && wait_policy_.spins > 0;
}

// All ranks of a node have mailboxes, or none: sender and receiver must come to the same decision.
void Transport::open_mailboxes(Bootstrap& bootstrap) {
  const std::vector<int> here = ranks_of_node();
  const auto senders = static_cast<int>(here.size());
  const auto warn = [this](const Error& problem) {
    logger_.warn(fmt::format(
        "{}; short messages go through UCX, which takes longer (in containers: give the ranks one "
        "PID namespace and the capability SYS_PTRACE)",
        problem.what()));
  };
  std::optional<Mailbox> mine;
  Mailbox::Place place;
  if (wants_mailboxes(here)) {
    try {
      mine = Mailbox::create(senders);
      place = mine->place();
    } catch (const Error& error) {
      warn(error);
    }
  }
  const auto places = bootstrap.allgather(std::as_bytes(std::span(&place, 1)));
  const auto place_of = [&places](std::size_t peer) {
    Mailbox::Place its;
    std::memcpy(&its, places[peer].data(), sizeof its);
    return its;
  };
  bool any = false;
  for (std::size_t peer = 0; peer < places.size(); ++peer)
    any = any || place_of(peer).descriptor >= 0;
  if (!any) return;  // so do all the others

  const bool all_here = std::all_of(here.begin(), here.end(), [&place_of](int peer) {
    return place_of(static_cast<std::size_t>(peer)).descriptor >= 0;
  });
  std::vector<Mailbox> mailboxes;
  bool mapped = all_here;
  try {
    for (const int peer : here) {
      if (all_here && peer != rank_)
        mailboxes.push_back(Mailbox::map(place_of(static_cast<std::size_t>(peer)), senders));
    }
  } catch (const Error& error) {
    warn(error);
    mapped = false;
  }
  if (!whole_node_says(bootstrap, here, mapped)) return;
  mine->close();
  const auto own = std::find(here.begin(), here.end(), rank_) - here.begin();
  mailboxes.insert(mailboxes.begin() + own, std::move(*mine));
  short_messages_.emplace(std::move(mailboxes), static_cast<int>(own));
  for (std::size_t number = 0; number < here.size(); ++number) {
    if (here[number] != rank_) at(here[number]).place = static_cast<int>(number);
  }
}

}  // namespace cuboid::detail
