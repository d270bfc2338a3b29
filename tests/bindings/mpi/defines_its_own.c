/* A program that has an MPI_Bcast of its own, as profilers do: it wins. */
#include <mpi.h>

static int calls;

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++calls;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int main(int argc, char** argv) {
  int value = 7;
  int sum = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return calls == 1 && sum == 7 * size ? 0 : 1;
}
