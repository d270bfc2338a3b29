// LAPACK's dgetrf on one process, the yardstick of factorisations within a node. Prints the median
// time as JSON. The LAPACK library and its kernels are those that Cuboid uses. Run: bench_dgetrf N
// THREADS [REPEATS]

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "bench/median.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_dgetrf N THREADS [REPEATS]\n");
    return 2;
  }
  const std::int64_t n = std::atoll(argv[1]);
  const int threads = std::atoi(argv[2]);
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 3;
  cuboid::run_ranks(1, [&](cuboid::Communicator& communicator) {
    const auto lapack = cuboid::LocalLapack::open(communicator.environment(), threads);
    cuboid::Matrix<double> factors(communicator, cuboid::Layout::single(n, n));
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    const double median = median_seconds(
        repeats, [&] { factors.fill_random(1); },
        [&] { lapack.getrf(factors.local(), std::span(pivots)); });
    std::printf("{\"seconds\": %.9f, \"gflops\": %.3f}\n", median,
                2e-9 / 3 * static_cast<double>(n) * static_cast<double>(n) *
                    static_cast<double>(n) / median);
  });
  return 0;
}
