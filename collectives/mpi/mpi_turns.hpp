#pragma once

#include "base/clock.hpp"

namespace cuboid::detail {

/// True if MPI can call other libraries while it waits. Open MPI can.
bool mpi_gives_turns();

/// Makes MPI call `turn` at every poll, on the thread that polls. `turn` returns the number of
/// events that it has handled. To be called once for each function, and only if mpi_gives_turns().
void take_turns(int (*turn)());
/// Ends these calls. To be called before MPI is finalised.
void take_no_more_turns(int (*turn)());

/// Lets MPI work while a rank waits in Cuboid and another carrier carries Cuboid's messages. What
/// the program has sent by MPI may need this rank's calls to leave, and the ranks that this rank
/// waits for may wait for that.
class MpiTurns {
 public:
  /// Gives MPI a turn, unless it had one just now or this thread may not call it.
  void give(Clock::time_point now);

 private:
  Clock::time_point next_{};
};

}  // namespace cuboid::detail
