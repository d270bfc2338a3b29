#include "collectives/mpi/mpi_deaths.hpp"

#include <cstddef>
#include <numeric>

namespace cuboid::detail {

#ifdef MPIX_ERR_PROC_FAILED

std::vector<int> take_note_of_deaths(MPI_Comm communicator) {
  MPI_Group dead = MPI_GROUP_NULL;
  if (PMPIX_Comm_failure_ack(communicator) != MPI_SUCCESS ||
      PMPIX_Comm_failure_get_acked(communicator, &dead) != MPI_SUCCESS)
    return {};
  int count = 0;
  PMPI_Group_size(dead, &count);
  MPI_Group all = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &all);
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<int> ranks(numbers.size());
  PMPI_Group_translate_ranks(dead, count, numbers.data(), all, ranks.data());
  PMPI_Group_free(&dead);
  PMPI_Group_free(&all);
  return ranks;
}

#else

std::vector<int> take_note_of_deaths(MPI_Comm) {
  return {};
}

#endif

}  // namespace cuboid::detail
