#include "collectives/mpi/mpi_turns.hpp"

#include <chrono>

#include <mpi.h>

namespace cuboid::detail {

namespace {

bool may_call_mpi() {
  int finalised = 0;
  PMPI_Finalized(&finalised);
  if (finalised != 0) return false;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return true;
  int is_main = 0;
  PMPI_Is_thread_main(&is_main);
  return is_main != 0;
}

}  // namespace

void MpiTurns::give(Clock::time_point now) {
  constexpr std::chrono::milliseconds between{1};
  if (now < next_) return;
  next_ = now + between;
  if (!may_call_mpi()) return;
  int any = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &any, MPI_STATUS_IGNORE);
}

}  // namespace cuboid::detail
