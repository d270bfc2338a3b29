/// A program whose collective calls, as many as its argument says, are all too short for the
/// drop-in.

#include <cstdlib>

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 1 ? std::atoi(argv[1]) : 0;
  for (int call = 0; call < calls; ++call) {
    double mine = 1, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
