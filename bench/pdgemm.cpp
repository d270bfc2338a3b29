// ScaLAPACK's pdgemm, to be compared with: the median time of a product, as JSON.
// Run: mpirun -n RANKS bench_pdgemm M N K [BLOCK [REPEATS]]
// BLOCK is the matrices' block and the width of PBLAS's panels, which is 32 in a stock ScaLAPACK;
// 0 stands for blocks of 64 and whatever panels the library was built with.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

namespace {

constexpr int panel_width_of_stock = 32;
int panel_width = panel_width_of_stock;

}  // namespace

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
void pdgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
             const int* k, const double* alpha, const double* A, const int* row_a,
             const int* column_a, const int* descriptor_a, const double* B, const int* row_b,
             const int* column_b, const int* descriptor_b, const double* beta, double* C,
             const int* row_c, const int* column_c, const int* descriptor_c);
// PBLAS asks this function, which a program may replace, how wide its panels shall be.
int pilaenv_(const int* context, const char* precision) {
  static_cast<void>(context);
  static_cast<void>(precision);
  return panel_width;
}
}

namespace {

struct Distributed {
  std::array<int, 9> descriptor{};
  std::vector<double> elements;
};

struct ProcessGrid {
  int context = 0;
  int rows = 0;
  int columns = 0;
  int row = 0;
  int column = 0;
};

Distributed distribute(const ProcessGrid& grid, int rows, int columns, int block) {
  const int first = 0;
  const int height = std::max(1, numroc_(&rows, &block, &grid.row, &first, &grid.rows));
  const int width = std::max(1, numroc_(&columns, &block, &grid.column, &first, &grid.columns));
  Distributed matrix;
  int info = 0;
  descinit_(matrix.descriptor.data(), &rows, &columns, &block, &block, &first, &first,
            &grid.context, &height, &info);
  if (info != 0) std::exit(1);
  matrix.elements.assign(static_cast<std::size_t>(height) * static_cast<std::size_t>(width), 0.5);
  return matrix;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench_pdgemm M N K [BLOCK [REPEATS]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
  const int given = argc > 4 ? std::atoi(argv[4]) : 0;
  const int repeats = argc > 5 ? std::atoi(argv[5]) : 5;
  const int block = given > 0 ? given : 64;
  panel_width = given > 0 ? given : panel_width_of_stock;

  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ProcessGrid grid;
  grid.rows = static_cast<int>(std::sqrt(ranks));
  while (ranks % grid.rows != 0) --grid.rows;
  grid.columns = ranks / grid.rows;
  // The longer side of the grid along the longer side of the result.
  if (m > n) std::swap(grid.rows, grid.columns);
  Cblacs_get(-1, 0, &grid.context);
  Cblacs_gridinit(&grid.context, "Row", grid.rows, grid.columns);
  Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);

  const Distributed A = distribute(grid, m, k, block);
  const Distributed B = distribute(grid, k, n, block);
  Distributed C = distribute(grid, m, n, block);
  const double alpha = 1, beta = 0;
  const int one = 1;
  std::vector<double> seconds;
  for (int repeat = -1; repeat < repeats; ++repeat) {  // the first warms up
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    pdgemm_("N", "N", &m, &n, &k, &alpha, A.elements.data(), &one, &one, A.descriptor.data(),
            B.elements.data(), &one, &one, B.descriptor.data(), &beta, C.elements.data(), &one,
            &one, C.descriptor.data());
    MPI_Barrier(MPI_COMM_WORLD);
    if (repeat >= 0) seconds.push_back(MPI_Wtime() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  if (rank == 0) {
    const double median = seconds[seconds.size() / 2];
    std::printf("{\"grid\": [%d, %d], \"block\": %d, \"seconds\": %.9f, \"gflops\": %.3f}\n",
                grid.rows, grid.columns, block, median, 2e-9 * m * n * k / median);
  }
  Cblacs_gridexit(grid.context);
  MPI_Finalize();
  return 0;
}
