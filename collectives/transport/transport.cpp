#include "collectives/transport/transport.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/over_mpi.hpp"
#include "collectives/bootstrap/simulated.hpp"
#include "collectives/mpi/work_in_mpi.hpp"
#include "collectives/transport/make_carrier.hpp"
#include "collectives/transport/node_agreements.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr unsigned polls_before_looking_after_peers = 100;

const Bootstrap& require_few_enough(const Bootstrap& bootstrap) {
  if (bootstrap.size() <= static_cast<int>(Tag::max_ranks)) return bootstrap;
  throw Error(ErrorCode::unsupported,
              fmt::format("{} ranks: at most {} are possible", bootstrap.size(), Tag::max_ranks));
}

bool shares_the_program_with_mpi(const Bootstrap& bootstrap) {
  const auto* const mpi = dynamic_cast<const OverMpi*>(&bootstrap);
  return mpi != nullptr && mpi->wants_mpi_turns();
}

}  // namespace

Transport::Transport(Bootstrap& bootstrap, const Environment& environment)
    : Transport(bootstrap, environment, nullptr) {}

Transport::Transport(Bootstrap& bootstrap, const Environment& environment,
                     std::shared_ptr<const PeerInformation> peer_information)
    : environment_(environment),
      rank_(require_few_enough(bootstrap).rank()),
      logger_(environment.log_level, rank_),
      peer_information_(peer_information ? std::move(peer_information)
                                         : introduce(bootstrap, environment_, memory_beacon_)),
      wait_policy_(policy_for_peers()),
      board_memory_(agree_on_board(bootstrap, ranks(), logger_)),
      carrier_(make_carrier(bootstrap, ranks(), environment_, logger_)),
      beside_mpi_(shares_the_program_with_mpi(bootstrap)),
      peers_(*carrier_, rank_, ranks(), logger_),
      messages_(
          peers_, ranks(),
          agree_on_ways(bootstrap, *peer_information_, wait_policy_, carrier_->wakes(), logger_)),
      memory_exchange_(peers_, messages_) {
  carrier_->tell_close([this] { leave(); });
  if (beside_mpi_ && carrier_->name() != "mpi") mpi_turns_.emplace();
}

// Before it leaves, a rank receives and drops long messages that nobody wants, because their
// senders wait for that.
void Transport::leave() {
  // A rank that only reads from a board may have no connection that would bring it the goodbye.
  if (board_memory_ && peers_.given_up().empty()) {
    const Peers::Goodbye goodbye = peers_.goodbye();
    BoardGoodbye on_board{goodbye.subject, {}};
    goodbye.reason.copy(on_board.reason.data(), on_board.reason.size() - 1);
    const std::vector<int> here = ranks().ranks_of_node(rank_);
    const auto place = std::ranges::find(here, rank_) - here.begin();
    board_memory_->leave(static_cast<std::size_t>(place), on_board);
  }
  messages_.send_rest();
  peers_.leave();
  messages_.drop_unmatched();
}

bool Transport::can_work_in_mpi() const {
  return beside_mpi_ && environment_.progress == ProgressBy::calls && WorkInMpi::is_possible();
}

Transport::~Transport() {
  // Simulated ranks end together, and none of them dies.
  if (!peers_.quarantined() && !simulated) leave();
  carrier_->stop();
  memory_exchange_.drop_services();  // the memory belongs to the carrier
}

WaitPolicy Transport::policy_for_peers() const {
  if (simulated) return {.spins = 0, .yields = 0};  // no time passes meanwhile
  std::vector<CoreSet> here;
  for (int peer = 0; peer < size(); ++peer) {
    if (ranks().same_machine(peer, rank_)) here.push_back(ranks().cores(peer));
  }
  const CoreSet& mine = ranks().cores(rank_);
  return WaitPolicy::for_load(ranks_on(mine, here), mine.size());
}

double Transport::ranks_per_core() const {
  if (simulated) return 1;
  struct Machine {
    std::set<int> cores;
    double ranks = 0;
  };
  std::map<int, Machine> machines;
  for (int peer = 0; peer < size(); ++peer) {
    Machine& machine = machines[ranks().machine(peer)];
    machine.cores.insert(ranks().cores(peer).begin(), ranks().cores(peer).end());
    ++machine.ranks;
  }
  double most = 1;
  for (const auto& [number, machine] : machines)
    most = std::max(most, machine.ranks / static_cast<double>(machine.cores.size()));
  return most;
}

std::unique_ptr<Board> Transport::make_board(std::uint32_t number,
                                             const std::vector<int>& world_ranks, int rank,
                                             std::uint64_t generation) {
  const auto elsewhere = [this](int peer) { return !same_node(peer); };
  if (!board_memory_ || world_ranks.size() < 2 || std::ranges::any_of(world_ranks, elsewhere))
    return nullptr;
  if (!Board::may_have(number, generation)) {
    if (rank == 0 && !std::exchange(warned_of_boards_, true)) {
      logger_.warn(fmt::format(
          "more than {} communicators at once: the collectives of further ones do not use shared "
          "memory and take longer; destroy those that are not needed",
          BoardMemory::boards));
    }
    return nullptr;
  }
  const std::vector<int> here = ranks().ranks_of_node(rank_);
  std::vector<std::size_t> places;
  for (const int peer : world_ranks)
    places.push_back(static_cast<std::size_t>(std::ranges::find(here, peer) - here.begin()));
  return std::make_unique<Board>(board_memory_, number, std::move(places), rank, generation);
}

bool Transport::progress() {
  if (peers_.quarantined()) return false;
  bool moved = carrier_->progress();
  const std::uint64_t failures = peers_.failures();
  moved |= messages_.progress();
  moved |= memory_exchange_.progress();
  idle_polls_ = moved ? 0 : idle_polls_ + 1;
  if (moved) nap_ = shortest_nap;
  if (idle_polls_ > polls_before_looking_after_peers) peers_.look_after();
  peers_.announce();
  // announce() and look_after() let the carrier work. It may report that a rank has left, and what
  // that rank sent before still counts.
  if (peers_.failures() != failures) moved |= messages_.progress();
  return moved;
}

Pause Transport::pause(Backoff& backoff, Clock::time_point until, Board* board,
                       std::uint64_t awaited, const std::function<bool()>& idle) {
  Pause next = backoff.next();
  if (next == Pause::yield && !yields_.yield()) next = Pause::sleep;
  if (next == Pause::sleep) {
    peers_.look_after();
    // A turn of MPI takes about as long as a short message, so MPI gets none before a sleep was in
    // vain.
    const int polls_before_sleep = wait_policy_.spins + wait_policy_.yields + 1;
    if (idle_polls_ > static_cast<unsigned>(polls_before_sleep)) let_mpi_work(Clock::now());
    if (board != nullptr) {
      board->sleep(nap_, awaited, idle);  // messages do not end this sleep, so it is short
      nap_ = std::min(2 * nap_, longest_nap);
    } else if (carrier_->arm()) {
      sleep(until);
    }
  }
  if (next != Pause::sleep) nap_ = shortest_nap;
  return next;
}

void Transport::sleep(Clock::time_point until) {
  if (!messages_.fall_asleep()) return;
  if (carrier_->wakes()) {
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(until - Clock::now());
    // This rank wakes once a second at least, because carriers look after peers only while they are
    // called. It wakes sooner if a sender may have looked just before this rank said that it
    // sleeps, or if MPI wants its turns.
    const std::chrono::milliseconds longest{messages_.has_mailboxes() || mpi_turns_ ? 10 : 1000};
    carrier_->sleep(
        std::clamp<std::chrono::microseconds>(left, std::chrono::milliseconds(1), longest));
  } else {
    nap();
  }
  messages_.wake_up();
}

void Transport::nap() {
  if (messages_.has_mailboxes()) {
    messages_.sleep(nap_);
  } else {
    carrier_->sleep(nap_);
  }
  nap_ = std::min(2 * nap_, longest_nap);
}

}  // namespace cuboid::detail
