#include "collectives/communicator/memory_wait.hpp"

#include <cuboid/error.hpp>

#include "base/thrown.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/transport/silent_ranks.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

void MemoryWait::reset() {
  attempts_ = 0;
  watched_ = missed_ = false;
}

bool MemoryWait::pause() {
  constexpr int yields = 1000, between_polls = 16, between_looks = 64;
  const int attempt = attempts_++;
  if (attempt == 0) since_ = Clock::now();
  if (attempt < yields && yields_.yield()) {
    // If ranks share cores, the awaited rank may itself need something that this rank has to do.
    if (attempt % between_polls == between_polls - 1) communicator_.progress();
    return false;
  }
  communicator_.progress();
  communicator_.state().transport().let_mpi_work(Clock::now());
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  return attempt % between_looks == 0;
}

void MemoryWait::look_after(std::span<const int> peers) {
  const Communicator::State& state = communicator_.state();
  const Engine::Lock lock = state.engine->lock();
  throw_if_failed(peers);
  try {
    state.engine->throw_if_interrupted();
  } catch (...) {
    communicator_.give_up("its wait was interrupted: " + text_of(std::current_exception()));
    throw;
  }
  if (!std::exchange(watched_, true)) {
    for (const int peer : peers)
      state.engine->transport().peers().watch(state.group->world_rank(peer));
  }
  if (Clock::now() - since_ >= communicator_.environment().timeout) time_out(peers);
}

void MemoryWait::throw_if_failed(std::span<const int> peers) {
  const Group& group = *communicator_.state().group;
  Peers& all = communicator_.state().transport().peers();
  if (!all.given_up().empty())
    fail(ErrorCode::peer_failed, "this rank has given up: " + all.given_up());
  if (!group.broken().empty())
    fail(ErrorCode::peer_failed, "the communicator is no longer usable: " + group.broken());
  const auto failed = [&](const Peers::Failure& failure) {
    fail(ErrorCode::peer_failed, fmt::format("{} {}", group.name(failure.rank), failure.did));
  };
  if (const auto told = all.failure_of(group.context(), group.world_ranks())) failed(told->failure);
  // The awaited data may have been written just before, so the caller looks once more.
  const auto looks_again = [this] { return !std::exchange(missed_, true); };
  for (const int rank : group.world_ranks()) {
    if (!all.failed(rank)) continue;
    if (looks_again()) return;
    failed(*all.failure(rank));
  }
  for (const int peer : peers) {
    const int rank = group.world_rank(peer);
    if (!all.failure(rank)) continue;
    if (looks_again()) return;
    if (const auto told = all.await_failure_of(group.context(), group.world_ranks(), rank))
      failed(told->failure);
    failed(all.missed(rank));
  }
}

void MemoryWait::time_out(std::span<const int> peers) {
  const Group& group = *communicator_.state().group;
  std::vector<std::string> waited_for;
  for (const int peer : peers) {
    waited_for.push_back(
        fmt::format("{} on {}", group.name(group.world_rank(peer)), communicator_.host(peer)));
  }
  fail(ErrorCode::timeout, nothing_moved(communicator_.state().transport(), group,
                                         fmt::format("{}", fmt::join(waited_for, ", "))));
}

void MemoryWait::fail(ErrorCode code, std::string_view what) {
  Group& group = *communicator_.state().group;
  const Error error(code,
                    fmt::format("{}: {}: {}", group.name(communicator_.state().transport().rank()),
                                operation_, what));
  group.break_off(error.what());
  throw Error(error);
}

}  // namespace cuboid::detail
