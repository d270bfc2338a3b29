/* An MPI program that is linked with the drop-in. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static double values[1 << 16];
  double sum = 0;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 1 << 16; ++i) values[i] = 1;
  MPI_Allreduce(MPI_IN_PLACE, values, 1 << 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 1 << 16; ++i) sum += values[i];
  MPI_Finalize();
  return sum == (double)ranks * (1 << 16) ? 0 : 1;
}
