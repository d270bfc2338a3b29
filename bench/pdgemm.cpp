// ScaLAPACK's pdgemm, for comparison: prints the median time of a product as JSON.
// Run: mpirun -n RANKS bench_pdgemm M N K [BLOCK [REPEATS [TRANSPOSES]]]
// BLOCK is the matrices' block length and the width of PBLAS's panels, which is 32 in a stock
// ScaLAPACK. 0 stands for blocks of 64 and the panel width with which the library was built.
// TRANSPOSES is NN, TN, NT or TT and says which of A and B are transposed.
// waits, in this file: what is measured waits, and a person sees it measured

#include "bench/median.hpp"
#include "bench/scalapack.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <mpi.h>

namespace {

constexpr int panel_width_of_stock = 32;
int panel_width = panel_width_of_stock;

}  // namespace

extern "C" {
void pdgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
             const int* k, const double* alpha, const double* A, const int* row_a,
             const int* column_a, const int* descriptor_a, const double* B, const int* row_b,
             const int* column_b, const int* descriptor_b, const double* beta, double* C,
             const int* row_c, const int* column_c, const int* descriptor_c);
// PBLAS calls this function, which a program may replace, for the width of its panels.
int pilaenv_(const int* context, const char* precision) {
  static_cast<void>(context);
  static_cast<void>(precision);
  return panel_width;
}
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench_pdgemm M N K [BLOCK [REPEATS [TRANSPOSES]]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
  const int given = argc > 4 ? std::atoi(argv[4]) : 0;
  const int repeats = argc > 5 ? std::atoi(argv[5]) : 5;
  const std::string transposes = argc > 6 ? argv[6] : "NN";
  const bool a_is_transposed = transposes.front() == 'T',
             b_is_transposed = transposes.back() == 'T';
  const int block = given > 0 ? given : 64;
  panel_width = given > 0 ? given : panel_width_of_stock;

  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int shorter = largest_divisor(ranks, static_cast<int>(std::sqrt(ranks)));
  {
    // The longer side of the grid is along the longer side of the result.
    const ScalapackGrid grid(m > n ? ranks / shorter : shorter, m > n ? shorter : ranks / shorter);
    const BlacsMatrix A(grid, a_is_transposed ? k : m, a_is_transposed ? m : k, block);
    const BlacsMatrix B(grid, b_is_transposed ? n : k, b_is_transposed ? k : n, block);
    BlacsMatrix C(grid, m, n, block);
    const double alpha = 1, beta = 0;
    const int one = 1;
    const double median = median_seconds(
        repeats, [] { MPI_Barrier(MPI_COMM_WORLD); },
        [&] {
          pdgemm_(a_is_transposed ? "T" : "N", b_is_transposed ? "T" : "N", &m, &n, &k, &alpha,
                  A.elements.data(), &one, &one, A.descriptor.data(), B.elements.data(), &one, &one,
                  B.descriptor.data(), &beta, C.elements.data(), &one, &one, C.descriptor.data());
          MPI_Barrier(MPI_COMM_WORLD);
        });
    if (rank == 0) {
      std::printf("{\"grid\": [%d, %d], \"block\": %d, \"seconds\": %.9f, \"gflops\": %.3f}\n",
                  grid.rows, grid.columns, block, median, 2e-9 * m * n * k / median);
    }
  }
  MPI_Finalize();
  return 0;
}
