#pragma once

#include "base/clock.hpp"

namespace cuboid::detail {

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
