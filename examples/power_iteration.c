/* The largest eigenvalue of a symmetric matrix by power iteration, in C: each rank has some rows.
 * mpirun -n 4 power_iteration_c */
#include <mpi.h>
/* After mpi.h, as it takes an MPI_Comm. */
#include <cuboid.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 240, STEPS = 200 };

static void or_stop(int code) {
  if (code == CUBOID_SUCCESS) return;
  fprintf(stderr, "%s\n", cuboid_error_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  cuboid_communicator ranks = NULL;
  cuboid_plan gather = NULL;
  int rank = 0;
  int size = 1;
  int step;
  double eigenvalue = 0;
  MPI_Init(&argc, &argv);
  or_stop(cuboid_communicator_from_mpi(MPI_COMM_WORLD, &ranks));
  or_stop(cuboid_communicator_rank(ranks, &rank));
  or_stop(cuboid_communicator_size(ranks, &size));

  if (N % size != 0) {
    if (rank == 0) fprintf(stderr, "%d ranks cannot share %d rows equally\n", size, N);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int rows = N / size;
  double* x = malloc(N * sizeof *x);
  double* y = malloc((size_t)rows * sizeof *y);
  for (int j = 0; j < N; ++j) x[j] = 1;
  /* Made once, run in every step: this allocates nothing. */
  or_stop(cuboid_allgather_plan(y, (size_t)rows, CUBOID_FLOAT64, x, ranks, &gather));
  for (step = 0; step < STEPS; ++step) {
    double square = 0;
    for (int i = 0; i < rows; ++i) {
      y[i] = 0;
      for (int j = 0; j < N; ++j) y[i] += x[j] / (1 + abs(rank * rows + i - j));
      square += y[i] * y[i];
    }
    or_stop(cuboid_allreduce(CUBOID_IN_PLACE, &square, 1, CUBOID_FLOAT64, CUBOID_SUM, ranks));
    eigenvalue = sqrt(square);
    for (int i = 0; i < rows; ++i) y[i] /= eigenvalue;
    or_stop(cuboid_plan_run(gather));
  }
  if (rank == 0) printf("largest eigenvalue %.9f\n", eigenvalue);
  or_stop(cuboid_plan_free(&gather));
  or_stop(cuboid_communicator_free(&ranks));
  free(x);
  free(y);
  MPI_Finalize();
  return 0;
}
