#include "collectives/mpi/work_in_mpi.hpp"

#include "collectives/mpi/mpi_turns.hpp"

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <mpi.h>
#include <sched.h>

namespace cuboid::detail {

namespace {

/// The list is never destroyed, because MPI may call turn() until the process ends.
struct All {
  std::atomic_flag busy;  // set while a thread reads or changes the list
  std::vector<WorkInMpi*> list;
  std::atomic<std::uint32_t> turns = 0;  // the number of turns since something was to do
};

All& all() {
  static All& one = *new All;
  return one;
}

class Busy {
 public:
  Busy() {
    while (all().busy.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Busy() { all().busy.clear(std::memory_order_release); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
};

}  // namespace

bool WorkInMpi::is_possible() {
  return mpi_gives_turns();
}

WorkInMpi::WorkInMpi(std::function<bool()> work) : work_(std::move(work)) {
  const Busy busy;
  all().list.push_back(this);
  if (all().list.size() == 1) take_turns(&WorkInMpi::turn);
}

WorkInMpi::~WorkInMpi() {
  const Busy busy;
  std::erase(all().list, this);
  int finalised = 0;
  PMPI_Finalized(&finalised);
  if (all().list.empty() && finalised == 0) take_no_more_turns(&WorkInMpi::turn);
}

void WorkInMpi::expect() {
  all().turns.store(0, std::memory_order_relaxed);
}

int WorkInMpi::turn() {
  // Not an atomic increment, which would slow every poll. A lost count does no harm.
  const auto turn = all().turns.load(std::memory_order_relaxed);
  all().turns.store(turn + 1, std::memory_order_relaxed);
  constexpr std::uint32_t soon = 1000;
  if (turn % (turn < soon ? 16 : 512) != 0) return 0;
  if (all().busy.test_and_set(std::memory_order_acquire)) return 0;
  bool moved = false;
  for (WorkInMpi* const one : all().list) moved |= one->work_();
  all().busy.clear(std::memory_order_release);
  if (moved) expect();
  return moved ? 1 : 0;
}

}  // namespace cuboid::detail
