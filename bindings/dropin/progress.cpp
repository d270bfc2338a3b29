#include "bindings/dropin/progress.hpp"

#include "bindings/dropin/communicator_record.hpp"
#include "bindings/dropin/ticket_lock.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::drop_in {

namespace {

using namespace std::chrono_literals;

/// The object is never destroyed, because MPI may call the progress function until the process
/// ends.
struct Going {
  std::vector<Communicator> worlds;
  std::vector<std::function<bool()>> looks;
  std::atomic<bool> on = false;
  std::atomic<std::uint32_t> turns = 0;      // the number of turns since Cuboid last did something
  std::atomic<std::uint32_t> in_flight = 0;  // the number of registered looks
  std::thread helper;
};

Going& going() {
  static Going& one = *new Going;
  return one;
}

bool let_all_get_on() {
  Going& all = going();
  bool moved = false;
  for (const Communicator& world : all.worlds) moved |= world.progress();
  if (!all.looks.empty()) {
    std::erase_if(all.looks, [](const auto& look) { return look(); });
    all.in_flight = static_cast<std::uint32_t>(all.looks.size());
  }
  return moved;
}

/// MPI calls this function at every poll. If nothing is in flight, the remaining work is to send
/// the last messages and to answer peers; for that, longer intervals suffice.
int turn_from_mpi() {
  Going& all = going();
  if (!all.on.load(std::memory_order_relaxed)) return 0;
  // Not an atomic increment, which would slow every poll. A lost count does no harm.
  const auto turn = all.turns.load(std::memory_order_relaxed);
  all.turns.store(turn + 1, std::memory_order_relaxed);
  if (all.in_flight.load(std::memory_order_relaxed) == 0) {
    constexpr std::uint32_t soon = 1000;
    if (turn % (turn < soon ? 16 : 512) != 0) return 0;
  }
  if (!cuboid_lock().try_lock()) return 0;
  const bool moved = let_all_get_on();
  cuboid_lock().unlock();
  if (moved) all.turns.store(0, std::memory_order_relaxed);
  return moved ? 1 : 0;
}

void help() {
  while (going().on) {
    if (cuboid_lock().try_lock()) {
      let_all_get_on();
      cuboid_lock().unlock();
    }
    std::this_thread::sleep_for(1ms);
  }
}

void let_mpi_get_on() {
  int flag = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

bool many_threads() {
  int provided = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&provided);
  return provided == MPI_THREAD_MULTIPLE;
}

}  // namespace

TicketLock& cuboid_lock() {
  static TicketLock& one = *new TicketLock;
  return one;
}

void keep_going(const Communicator& world) {
  {
    const std::lock_guard guard(cuboid_lock());
    going().worlds.push_back(world);
  }
  begin_turns();
}

void begin_turns() {
  Going& all = going();
  if (all.on.exchange(true)) return;
  at_finalize(&stop_going);
  if (mpi_gives_turns()) {
    take_turns(&turn_from_mpi);
  } else {
    all.helper = std::thread(&help);
  }
}

void stop_going() {
  Going& all = going();
  if (!all.on.exchange(false)) return;
  if (mpi_gives_turns()) take_no_more_turns(&turn_from_mpi);
  if (all.helper.joinable()) all.helper.join();
  const std::lock_guard guard(cuboid_lock());
  all.worlds.clear();
  // An erroneous program may end with requests under way; the drop-in must not wait for them.
  static_cast<void>(new auto(std::move(all.looks)));
}

void look_at_every_turn(std::function<bool()> look) {
  Going& all = going();
  all.looks.push_back(std::move(look));
  all.in_flight = static_cast<std::uint32_t>(all.looks.size());
}

void wait_for(Request& request) {
  // Other threads need the lock as well.
  static const auto longest = many_threads() ? 50us : 1000us;
  for (auto pause = std::chrono::microseconds(20);; pause = std::min(2 * pause, longest)) {
    {
      const std::lock_guard guard(cuboid_lock());
      if (request.wait_for(pause)) break;
    }
    let_mpi_get_on();
  }
  // The last messages may still have to leave.
  going().turns.store(0, std::memory_order_relaxed);
}

}  // namespace cuboid::detail::drop_in
