#include <cuboid/collectives/transport/waiting.hpp>

#include <sched.h>

namespace cuboid {

WaitPolicy WaitPolicy::for_load(int ranks_on_machine, int usable_cores) {
  // A poll costs some 50 ns. A core of one's own is held for a time slice or so, which outlasts a
  // peer's short absence: giving the core away any sooner would answer each of its absences with
  // one of ours.
  if (ranks_on_machine <= usable_cores) return {.spins = 50000, .yields = 100};
  return {.spins = 2, .yields = 20};
}

int usable_cores() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
  return CPU_COUNT(&mask);
}

}  // namespace cuboid
