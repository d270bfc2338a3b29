/* A program without MPI: the mean of a number of each rank, and who is furthest from it.
 * srun --mpi=pmix -n 4 without_mpi, or mpirun -n 4 without_mpi */
#include <cuboid.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct distance {
  double from_mean;
  int32_t rank;
};

static void or_stop(int code) {
  if (code == CUBOID_SUCCESS) return;
  fprintf(stderr, "%s\n", cuboid_error_message());
  exit(1); /* the launcher ends the other ranks */
}

int main(void) {
  cuboid_communicator ranks = NULL;
  int rank = 0;
  int size = 0;
  or_stop(cuboid_communicator_from_pmix(&ranks));
  or_stop(cuboid_communicator_rank(ranks, &rank));
  or_stop(cuboid_communicator_size(ranks, &size));

  const double mine = rank * rank;
  double mean = mine;
  or_stop(cuboid_allreduce(CUBOID_IN_PLACE, &mean, 1, CUBOID_FLOAT64, CUBOID_AVERAGE, ranks));
  struct distance furthest = {fabs(mine - mean), rank};
  or_stop(cuboid_allreduce(CUBOID_IN_PLACE, &furthest, 1,
                           CUBOID_LOCATED(CUBOID_FLOAT64, CUBOID_INT32), CUBOID_MAXIMUM_LOCATION,
                           ranks));
  if (rank == 0)
    printf("%d ranks, mean %g, furthest from it: rank %d\n", size, mean, (int)furthest.rank);
  or_stop(cuboid_communicator_free(&ranks));
  return 0;
}
