// Many different small products under the drop-in: after the first fifth of them the memory in use
// must not grow any more. Returns 1 where it does. To be run with CUBOID_SCALAPACK=force.
// Usage: bindings_scalapack_many_calls [CALLS]

#include "random_parts.hpp"

#include <malloc.h>
#include <mpi.h>

namespace {

void random_product(Random& random, const Grid& grid, unsigned seed) {
  const int m = random(1, 40), n = random(1, 40), k = random(1, 40);
  const Part<double> A(random, grid, m, k, seed), B(random, grid, k, n, seed);
  Part<double> C(random, grid, m, n, seed);
  const char op = 'N';
  const double alpha = 1, beta = 0;
  routine<Gemm<double>, double>(Side::program, "gemm")(
      &op, &op, &m, &n, &k, &alpha, A.elements.data(), &A.i, &A.j, A.descriptor.data(),
      B.elements.data(), &B.i, &B.j, B.descriptor.data(), &beta, C.elements.data(), &C.i, &C.j,
      C.descriptor.data());
}

/// All that malloc has given and not got back.
double bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int calls = argc > 1 ? std::atoi(argv[1]) : 1000;
  int grows = 0;
  {
    const Grid grid(1, ranks, numbers(0, ranks));
    Random random(11);
    double begin = 0;
    for (int call = 0; call < calls; ++call) {
      if (call == calls / 5) begin = bytes_in_use();
      random_product(random, grid, static_cast<unsigned>(call));
    }
    // What eight kept plans differ by.
    constexpr double may_differ = 2e6;
    const double more = bytes_in_use() - begin;
    if (more > may_differ) {
      std::fprintf(stderr, "rank %d: %.0f bytes more in use after %d calls than after %d\n",
                   world_rank, more, calls, calls / 5);
      grows = 1;
    }
    if (world_rank == 0) std::printf("%.0f bytes more after %d calls\n", more, calls);
  }
  int any = 0;
  MPI_Allreduce(&grows, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  Cblacs_exit(1);
  MPI_Finalize();
  return any;
}
