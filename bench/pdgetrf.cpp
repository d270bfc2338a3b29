// ScaLAPACK's pdgetrf, for comparison: prints the median time of a factorisation as JSON.
// Run: mpirun -n RANKS bench_pdgetrf N [BLOCK [REPEATS [ROWS]]]
// BLOCK is the matrix's block length. ROWS is the number of rows of the process grid, by default
// the largest divisor of the number of ranks that does not exceed its square root.
// waits, in this file: what is measured waits, and a person sees it measured

#include "bench/median.hpp"
#include "bench/scalapack.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

extern "C" {
void pdgetrf_(const int* m, const int* n, double* A, const int* row, const int* column,
              const int* descriptor, int* pivots, int* info);
}

namespace {

/// Fills with uniform numbers in [-1, 1) from a linear congruential generator (Knuth's MMIX).
void fill(std::vector<double>& elements, int rank) {
  std::uint64_t state = 2 * static_cast<std::uint64_t>(rank) + 1;
  for (double& element : elements) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    element = static_cast<double>(state >> 11) * 0x1p-52 - 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_pdgetrf N [BLOCK [REPEATS [ROWS]]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int n = std::atoi(argv[1]);
  const int block = argc > 2 ? std::atoi(argv[2]) : 64;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 3;
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rows =
      largest_divisor(ranks, argc > 4 ? std::atoi(argv[4]) : static_cast<int>(std::sqrt(ranks)));
  {
    const ScalapackGrid grid(rows, ranks / rows);
    BlacsMatrix A(grid, n, n, block);
    fill(A.elements, rank);
    std::vector<int> pivots(static_cast<std::size_t>(A.local_rows + block));
    std::vector<double> factors;
    const int one = 1;
    int info = 0;
    const double median = median_seconds(
        repeats,
        [&] {
          factors = A.elements;
          MPI_Barrier(MPI_COMM_WORLD);
        },
        [&] {
          pdgetrf_(&n, &n, factors.data(), &one, &one, A.descriptor.data(), pivots.data(), &info);
          MPI_Barrier(MPI_COMM_WORLD);
          if (info != 0) MPI_Abort(MPI_COMM_WORLD, 1);
        });
    if (rank == 0) {
      std::printf("{\"grid\": [%d, %d], \"block\": %d, \"seconds\": %.9f, \"gflops\": %.3f}\n",
                  grid.rows, grid.columns, block, median,
                  2e-9 / 3 * n * n * static_cast<double>(n) / median);
    }
  }
  MPI_Finalize();
  return 0;
}
