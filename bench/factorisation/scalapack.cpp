// ScaLAPACK's pdgetrf or pdpotrf, for comparison: prints the median time of a factorisation as
// JSON. Run: mpirun -n RANKS bench_scalapack_factorise getrf|potrf N [BLOCK [REPEATS [ROWS]]]
// BLOCK is the matrix's block length. ROWS is the number of rows of the process grid, by default
// the largest divisor of the number of ranks that does not exceed its square root.
// waits, in this file: what is measured waits, and a person sees it measured

#include "bench/scalapack.hpp"

#include "bench/factorisation/flops.hpp"
#include "bench/median.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <mpi.h>

extern "C" {
void pdgetrf_(const int* m, const int* n, double* A, const int* row, const int* column,
              const int* descriptor, int* pivots, int* info);
void pdpotrf_(const char* triangle, const int* n, double* A, const int* row, const int* column,
              const int* descriptor, int* info, std::size_t length);
}

namespace {

/// Fills with uniform numbers in [-1, 1) from a linear congruential generator (Knuth's MMIX), with
/// n added on the diagonal.
void fill(BlacsMatrix& A, const ScalapackGrid& grid, int n, int block, int rank) {
  std::uint64_t state = 2 * static_cast<std::uint64_t>(rank) + 1;
  for (double& element : A.elements) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    element = static_cast<double>(state >> 11) * 0x1p-52 - 1;
  }
  for (int i = 0; i < n; ++i) {
    const int of_block = i / block;
    if (of_block % grid.rows != grid.row || of_block % grid.columns != grid.column) continue;
    const int row = of_block / grid.rows * block + i % block;
    const int column = of_block / grid.columns * block + i % block;
    A.elements[static_cast<std::size_t>(row) +
               static_cast<std::size_t>(column) * static_cast<std::size_t>(A.local_rows)] += n;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view routine = argc > 2 ? argv[1] : "";
  if (routine != "getrf" && routine != "potrf") {
    std::fprintf(stderr,
                 "usage: bench_scalapack_factorise getrf|potrf N [BLOCK [REPEATS [ROWS]]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int n = std::atoi(argv[2]);
  const int block = argc > 3 ? std::atoi(argv[3]) : 64;
  const int repeats = argc > 4 ? std::atoi(argv[4]) : 3;
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rows =
      largest_divisor(ranks, argc > 5 ? std::atoi(argv[5]) : static_cast<int>(std::sqrt(ranks)));
  {
    const ScalapackGrid grid(rows, ranks / rows);
    BlacsMatrix A(grid, n, n, block);
    fill(A, grid, n, block, rank);
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
          if (routine == "potrf")
            pdpotrf_("L", &n, factors.data(), &one, &one, A.descriptor.data(), &info, 1);
          else
            pdgetrf_(&n, &n, factors.data(), &one, &one, A.descriptor.data(), pivots.data(), &info);
          MPI_Barrier(MPI_COMM_WORLD);
          if (info != 0) MPI_Abort(MPI_COMM_WORLD, 1);
        });
    if (rank == 0) {
      std::printf("{\"grid\": [%d, %d], \"block\": %d, \"seconds\": %.9f, \"gflops\": %.3f}\n",
                  grid.rows, grid.columns, block, median, 1e-9 * flops(routine, n) / median);
    }
  }
  MPI_Finalize();
  return 0;
}
