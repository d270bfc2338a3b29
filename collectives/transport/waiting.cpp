#include <cuboid/collectives/transport/waiting.hpp>

#include <sched.h>

namespace cuboid {

WaitPolicy WaitPolicy::for_load(int ranks_on_node, int usable_cores) {
  // A poll costs some 50 ns: a core of one's own is held for about 0.1 ms and offered for a few
  // more before sleeping.
  if (ranks_on_node <= usable_cores) return {.spins = 2000, .yields = 2000};
  return {.spins = 2, .yields = 200};
}

int usable_cores() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
  return CPU_COUNT(&mask);
}

}  // namespace cuboid
