#include "collectives/transport/transport.hpp"

#include <cuboid/error.hpp>

#include "collectives/transport/node_agreements.hpp"
#include "collectives/transport/ucx_setup.hpp"
#include "collectives/transport/ucx_status.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>

namespace cuboid::detail {

namespace {

constexpr unsigned polls_before_looking_after_peers = 100;

const Bootstrap& require_few_enough(const Bootstrap& bootstrap) {
  if (bootstrap.size() <= static_cast<int>(Tag::max_ranks)) return bootstrap;
  throw Error(ErrorCode::unsupported,
              fmt::format("{} ranks: at most {} are possible", bootstrap.size(), Tag::max_ranks));
}

/// The address of each rank's worker. Collective over the bootstrap.
std::vector<std::vector<std::byte>> exchange_addresses(Bootstrap& bootstrap, ucp_worker_h worker) {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  require(ucp_worker_get_address(worker, &address, &bytes), "getting the worker's address");
  const auto* first = reinterpret_cast<const std::byte*>(address);
  const std::vector<std::byte> mine(first, first + bytes);
  ucp_worker_release_address(worker, address);
  return bootstrap.allgather(mine);
}

}  // namespace

Transport::Transport(Bootstrap& bootstrap, const Environment& environment)
    : environment_(environment),
      rank_(require_few_enough(bootstrap).rank()),
      logger_(environment.log_level, rank_),
      introductions_(introduce(bootstrap, environment_, memory_beacon_)),
      wait_policy_(policy_for_peers()),
      ucx_(make_ucx(bootstrap, introductions_, environment_)),
      peers_(ucx_worker(), rank_, exchange_addresses(bootstrap, ucx_worker()), introductions_,
             logger_),
      messages_(peers_, introductions_,
                agree_on_ways(bootstrap, introductions_, wait_policy_, logger_)),
      memory_exchange_(peers_, messages_),
      remote_access_(detail::has_remote_access(ucx_context())) {
  require(ucp_worker_get_efd(ucx_worker(), &event_descriptor_), "getting the event descriptor");
}

Transport::~Transport() {
  if (!peers_.quarantined()) {
    messages_.send_rest();
    peers_.leave();
    messages_.drop_unmatched();
  }
  ucx_.worker.reset();
  memory_exchange_.drop_services();  // whose memory belongs to the context
  ucx_.context.reset();
}

WaitPolicy Transport::policy_for_peers() const {
  std::vector<CoreSet> here;
  for (const Introduction& peer : introductions_) {
    if (peer.machine == at(rank_).machine) here.push_back(peer.cores);
  }
  const CoreSet& mine = at(rank_).cores;
  return WaitPolicy::for_load(ranks_on(mine, here), mine.size());
}

double Transport::ranks_per_core() const {
  struct Machine {
    std::set<int> cores;
    double ranks = 0;
  };
  std::map<std::string, Machine> machines;
  for (const Introduction& peer : introductions_) {
    Machine& machine = machines[peer.machine];
    machine.cores.insert(peer.cores.begin(), peer.cores.end());
    ++machine.ranks;
  }
  double most = 1;
  for (const auto& [name, machine] : machines)
    most = std::max(most, machine.ranks / static_cast<double>(machine.cores.size()));
  return most;
}

bool Transport::progress() {
  if (peers_.quarantined()) return false;
  bool moved = ucp_worker_progress(ucx_worker()) != 0;
  moved |= messages_.progress();
  moved |= memory_exchange_.progress();
  idle_polls_ = moved ? 0 : idle_polls_ + 1;
  if (idle_polls_ > polls_before_looking_after_peers) peers_.look_after();
  // Telling others lets UCX work, which may say that another rank has left.
  if (peers_.announce()) moved |= messages_.progress();
  return moved;
}

Pause Transport::pause(Backoff& backoff, std::chrono::steady_clock::time_point until) {
  const Pause next = backoff.next();
  if (next == Pause::sleep) peers_.look_after();
  if (next == Pause::yield) sched_yield();
  if (next == Pause::sleep && ucp_worker_arm(ucx_worker()) == UCS_OK) sleep(until);
  return next;
}

void Transport::sleep(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  // Woken once a second at least: UCX looks after its peers only while it is called. Sooner where a
  // sender may have looked just before this rank said that it sleeps.
  const std::int64_t longest = messages_.has_mailboxes() ? 10 : 1000;
  const int milliseconds = static_cast<int>(std::clamp<std::int64_t>(left.count(), 1, longest));
  if (!messages_.fall_asleep()) return;
  pollfd event{.fd = event_descriptor_, .events = POLLIN, .revents = 0};
  poll(&event, 1, milliseconds);
  messages_.wake_up();
}

}  // namespace cuboid::detail
