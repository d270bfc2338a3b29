// LAPACK's dgetrf or dpotrf on one process, the yardstick of factorisations within a node. Prints
// the median time as JSON. The LAPACK library and its kernels are those that Cuboid uses. Run:
// bench_lapack_factorise getrf|potrf N THREADS [REPEATS]

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "bench/factorisation/flops.hpp"
#include "bench/median.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  const std::string_view routine = argc > 3 ? argv[1] : "";
  if (routine != "getrf" && routine != "potrf") {
    std::fprintf(stderr, "usage: bench_lapack_factorise getrf|potrf N THREADS [REPEATS]\n");
    return 2;
  }
  const std::int64_t n = std::atoll(argv[2]);
  const int threads = std::atoi(argv[3]);
  const int repeats = argc > 4 ? std::atoi(argv[4]) : 3;
  cuboid::run_ranks(1, [&](cuboid::Communicator& communicator) {
    const auto lapack = cuboid::LocalLapack::open(communicator.environment(), threads);
    cuboid::Matrix<double> factors(communicator, cuboid::Layout::single(n, n));
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    const double median = median_seconds(
        repeats,
        [&] {
          factors.fill_random(1);
          const auto local = factors.local();
          for (std::int64_t i = 0; i < n; ++i) local(i, i) += static_cast<double>(n);
        },
        [&] {
          if (routine == "potrf")
            lapack.potrf(cuboid::Triangle::lower, factors.local());
          else
            lapack.getrf(factors.local(), std::span(pivots));
        });
    std::printf("{\"seconds\": %.9f, \"gflops\": %.3f}\n", median,
                1e-9 * flops(routine, static_cast<double>(n)) / median);
  });
  return 0;
}
