/* Under the drop-in: collectives with it (MPI_...) and without (PMPI_...), in turns, over lengths
   from long to short, so that all are decided by the time they are measured. Prints medians over
   turns of the slowest rank's time. Usage: mpirun -n RANKS cuboid-mpi in_turns [MOST [LEAST
   [SECONDS [OPERATION]]]] bytes from MOST down to LEAST, so many seconds for each; bcast,
   allreduce, ... or all */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { operations = 6, most_turns = 401 };
static const char* const names[operations] = {
    "bcast", "allreduce", "reduce", "allgather", "reduce_scatter_block", "alltoall"};
static char *input, *output;
static int rank, ranks;

#define CALL(P, operation, bytes)                                                              \
  switch (operation) {                                                                         \
    case 0: P##_Bcast(input, (int)(bytes), MPI_BYTE, 0, MPI_COMM_WORLD); break;                \
    case 1:                                                                                    \
      P##_Allreduce(input, output, (int)((bytes) / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);   \
      break;                                                                                   \
    case 2:                                                                                    \
      P##_Reduce(input, output, (int)((bytes) / 8), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);   \
      break;                                                                                   \
    case 3:                                                                                    \
      P##_Allgather(input, (int)((bytes) / ranks), MPI_BYTE, output, (int)((bytes) / ranks),   \
                    MPI_BYTE, MPI_COMM_WORLD);                                                 \
      break;                                                                                   \
    case 4:                                                                                    \
      P##_Reduce_scatter_block(input, output, (int)((bytes) / 8 / ranks), MPI_DOUBLE, MPI_SUM, \
                               MPI_COMM_WORLD);                                                \
      break;                                                                                   \
    default:                                                                                   \
      P##_Alltoall(input, (int)((bytes) / ranks), MPI_BYTE, output, (int)((bytes) / ranks),    \
                   MPI_BYTE, MPI_COMM_WORLD);                                                  \
  }

static double timed(int above, int operation, long bytes, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    if (above) {
      CALL(MPI, operation, bytes)
    } else {
      CALL(PMPI, operation, bytes)
    }
  }
  return (MPI_Wtime() - begin) / calls;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long most = argc > 1 ? atol(argv[1]) : 64 << 20;
  const long least = argc > 2 && atol(argv[2]) > 8 * ranks ? atol(argv[2]) : 8 * ranks;
  const double seconds = argc > 3 ? atof(argv[3]) : 0.2;
  input = malloc((size_t)most);
  output = malloc((size_t)most);
  memset(input, 0, (size_t)most);
  memset(output, 0, (size_t)most);
  if (rank == 0)
    printf("%-21s %10s %12s %12s %7s\n", "operation", "bytes", "plain us", "with us", "ratio");
  for (int operation = 0; operation < operations; ++operation) {
    if (argc > 4 && strcmp(argv[4], names[operation]) != 0) continue;
    for (long bytes = most; bytes >= least; bytes /= 4) {
      for (int i = 0; i < 20; ++i) timed(1, operation, bytes, 1);
      double once = timed(0, operation, bytes, 1);
      PMPI_Allreduce(MPI_IN_PLACE, &once, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      const int calls = once < 5e-5 ? (int)(2e-4 / once) + 1 : 1;
      int turns = (int)(seconds / 2 / (once * calls));
      turns = turns < 3 ? 3 : turns > most_turns ? most_turns : turns;
      double times[2][most_turns];
      for (int i = 0; i < 2 * turns; ++i) {
        const int above = (i + i / 2) % 2;
        times[above][i / 2] = timed(above, operation, bytes, calls);
      }
      PMPI_Allreduce(MPI_IN_PLACE, times[0], turns, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      PMPI_Allreduce(MPI_IN_PLACE, times[1], turns, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      for (int side = 0; side < 2; ++side)
        qsort(times[side], (size_t)turns, sizeof(double), ascending);
      const double plain = times[0][turns / 2], with = times[1][turns / 2];
      if (rank == 0)
        printf("%-21s %10ld %12.2f %12.2f %7.3f\n", names[operation], bytes, plain * 1e6,
               with * 1e6, with / plain);
      fflush(stdout);
    }
  }
  free(input);
  free(output);
  MPI_Finalize();
  return 0;
}
