// Every collective as the program calls it (MPI_) against the native MPI (PMPI_) on the same data:
// types, operations, in place, odd counts, communicators, blocking and not, between point-to-point
// messages. Prints what differs; returns the number of differences, at most 99.
// To be run under the drop-in with CUBOID_MPI=force, so that it is Cuboid that is held against MPI.

#include "cases.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string(argv[1]) == "quick";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // Without the drop-in the one is another name of the other.
  if (&MPI_Bcast == &PMPI_Bcast) differ("the drop-in is not there");

  MPI_Comm duplicate;
  MPI_Comm reversed;
  MPI_Comm split;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &split);
  MPI_Barrier(split);  // the first to get a shadow communicator is not the world

  const Group world("the world", MPI_COMM_WORLD);
  test_group(world, !quick);
  mixed_requests(world);
  many_at_once(world);
  long_message_before(world);
  for (const Group& group : {Group("a duplicate", duplicate), Group("the world reversed", reversed),
                             Group("a part", split), Group("this rank alone", MPI_COMM_SELF)}) {
    MPI_Barrier(group.comm);
    test_group(group, false);
    mixed_requests(group);
    long_message_before(group);
  }
  inter_communicator();
  errors();
  come_and_go();
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&split);

  int worst = 0;
  PMPI_Allreduce(&differences, &worst, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) std::printf("%d comparisons on rank 0, %d differences\n", compared, worst);
  MPI_Finalize();
  return std::min(worst, 99);
}
