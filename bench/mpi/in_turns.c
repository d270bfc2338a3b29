// waits, in this file: what is measured waits, and a person sees it measured
/* Under the drop-in: collectives with it (MPI_...) and without (PMPI_...), in turns, over lengths
   from long to short, so that all are decided by the time they are measured. A third side, the
   control, is the native MPI once more: what it differs by is noise. Prints medians over turns of
   the slowest rank's time. What differs by more than 3%, be it the control, is measured again, for
   four times as long. Usage: mpirun -n RANKS cuboid-mpi in_turns [MOST [LEAST [SECONDS
   [OPERATION]]]] bytes from MOST down to LEAST, so many seconds for each; bcast, allreduce, ... or
   all */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { operations = 6, in_blocks = 3, most_turns = 401 }; /* the last three have blocks per rank */
enum { plain, with, control, sides };
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

static double timed(int side, int operation, long bytes, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    if (side == with) {
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

/* Medians of each side. */
static void measure(int operation, long bytes, double seconds, double medians[sides]) {
  static double times[sides][most_turns];
  double once = timed(plain, operation, bytes, 1);
  PMPI_Allreduce(MPI_IN_PLACE, &once, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int calls = once < 5e-5 ? (int)(2e-4 / once) + 1 : 1;
  int turns = (int)(seconds / sides / (once * calls));
  turns = turns < 3 ? 3 : turns > most_turns ? most_turns : turns;
  for (int turn = 0; turn < turns; ++turn) {
    for (int i = 0; i < sides; ++i) { /* each side comes first, second and last in turn */
      const int side = (turn + i) % sides;
      times[side][turn] = timed(side, operation, bytes, calls);
    }
  }
  for (int side = 0; side < sides; ++side) {
    PMPI_Allreduce(MPI_IN_PLACE, times[side], turns, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(times[side], (size_t)turns, sizeof(double), ascending);
    medians[side] = times[side][turns / 2];
  }
}

static int is_doubtful(const double medians[sides]) {
  const double control_ratio = medians[control] / medians[plain];
  return medians[with] > 1.03 * medians[plain] || control_ratio > 1.03 || control_ratio < 0.97;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long most = argc > 1 ? atol(argv[1]) : 64 << 20;
  const long asked_least = argc > 2 ? atol(argv[2]) : 8;
  const double seconds = argc > 3 ? atof(argv[3]) : 0.2;
  input = malloc((size_t)most);
  output = malloc((size_t)most);
  memset(input, 0, (size_t)most);
  memset(output, 0, (size_t)most);
  if (rank == 0)
    printf("%-21s %10s %12s %12s %7s %8s\n", "operation", "bytes", "plain us", "with us", "ratio",
           "control");
  for (int operation = 0; operation < operations; ++operation) {
    if (argc > 4 && strcmp(argv[4], names[operation]) != 0) continue;
    const long least_possible = operation < in_blocks ? 8 : 8 * ranks;
    const long least = asked_least > least_possible ? asked_least : least_possible;
    for (long bytes = most; bytes >= least;
         bytes = bytes > least && bytes / 4 < least ? least : bytes / 4) {
      for (int i = 0; i < 20; ++i) timed(with, operation, bytes, 1);
      double medians[sides];
      measure(operation, bytes, seconds, medians);
      if (is_doubtful(medians)) measure(operation, bytes, 4 * seconds, medians);
      if (rank == 0)
        printf("%-21s %10ld %12.2f %12.2f %7.3f %8.3f\n", names[operation], bytes,
               medians[plain] * 1e6, medians[with] * 1e6, medians[with] / medians[plain],
               medians[control] / medians[plain]);
      fflush(stdout);
    }
  }
  free(input);
  free(output);
  MPI_Finalize();
  return 0;
}
