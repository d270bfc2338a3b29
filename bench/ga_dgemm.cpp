// Global Arrays' ga_dgemm, for comparison: prints the median time of a product as JSON.
// Run: mpirun -n RANKS bench_ga_dgemm M N K [REPEATS]
// Global Arrays chooses the blocks of the distribution.
// waits, in this file: what is measured waits, and a person sees it measured

#include "bench/median.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

extern "C" {
#include <ga.h>
#include <macdecls.h>
}

namespace {

int filled_array(const char* name, int rows, int columns) {
  std::array<int, 2> extents{rows, columns};
  std::vector<char> writable_name(name, name + 2);
  const int array = NGA_Create(C_DBL, 2, extents.data(), writable_name.data(), nullptr);
  if (array == 0) GA_Error(writable_name.data(), 1);
  double value = 0.5;
  GA_Fill(array, &value);
  return array;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench_ga_dgemm M N K [REPEATS]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
  const int repeats = argc > 4 ? std::atoi(argv[4]) : 5;
  GA_Initialize();
  constexpr Integer scratch_doubles = 1 << 24;  // for the panels of ga_dgemm
  MA_init(MT_DBL, scratch_doubles, scratch_doubles);

  const int A = filled_array("A", m, k);
  const int B = filled_array("B", k, n);
  const int C = filled_array("C", m, n);
  const double median = median_seconds(repeats, GA_Sync, [&] {
    GA_Dgemm('N', 'N', m, n, k, 1.0, A, B, 0.0, C);
    GA_Sync();
  });
  if (GA_Nodeid() == 0) {
    std::printf("{\"seconds\": %.9f, \"gflops\": %.3f}\n", median, 2e-9 * m * n * k / median);
  }
  for (const int array : {C, B, A}) GA_Destroy(array);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
