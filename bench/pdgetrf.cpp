// ScaLAPACK's pdgetrf, to be compared with: the median time of a factorisation, as JSON.
// Run: mpirun -n RANKS bench_pdgetrf N [BLOCK [REPEATS [ROWS]]]
// BLOCK is the matrix's; ROWS those of the process grid, by default the largest divisor of the
// ranks that is no more than their square root.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* first,
            const int* processes);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* leading, int* info);
void pdgetrf_(const int* m, const int* n, double* A, const int* row, const int* column,
              const int* descriptor, int* pivots, int* info);
}

namespace {

/// Uniform in [-1, 1), from a linear congruential generator (Knuth's MMIX).
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
  int rows = argc > 4 ? std::atoi(argv[4]) : static_cast<int>(std::sqrt(ranks));
  while (ranks % rows != 0) --rows;
  int columns = ranks / rows, row = 0, column = 0, context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, columns);
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);

  const int first = 0, one = 1;
  const int height = std::max(1, numroc_(&n, &block, &row, &first, &rows));
  const int width = std::max(1, numroc_(&n, &block, &column, &first, &columns));
  std::array<int, 9> descriptor{};
  int info = 0;
  descinit_(descriptor.data(), &n, &n, &block, &block, &first, &first, &context, &height, &info);
  if (info != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  std::vector<double> given(static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
  fill(given, rank);
  std::vector<int> pivots(static_cast<std::size_t>(height + block));
  std::vector<double> seconds;
  for (int repeat = -1; repeat < repeats; ++repeat) {  // the first warms up
    std::vector<double> factors = given;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    pdgetrf_(&n, &n, factors.data(), &one, &one, descriptor.data(), pivots.data(), &info);
    MPI_Barrier(MPI_COMM_WORLD);
    if (info != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    if (repeat >= 0) seconds.push_back(MPI_Wtime() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  if (rank == 0) {
    const double median = seconds[seconds.size() / 2];
    std::printf("{\"grid\": [%d, %d], \"block\": %d, \"seconds\": %.9f, \"gflops\": %.3f}\n", rows,
                columns, block, median, 2e-9 / 3 * n * n * static_cast<double>(n) / median);
  }
  Cblacs_gridexit(context);
  MPI_Finalize();
  return 0;
}
