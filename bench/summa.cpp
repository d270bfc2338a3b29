// SUMMA on several ranks of one thread each against the local multiplication with as many threads,
// the same product in the same run, in alternation. Run: bench_summa [N [RANKS [REPEATS]]]

#include <cuboid/collectives/barrier.hpp>
#include <cuboid/collectives/transport/run_ranks.hpp>
#include <cuboid/mm/local_gemm.hpp>
#include <cuboid/mm/matrix.hpp>
#include <cuboid/mm/multiply.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace cuboid;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Matrix<double> random_matrix(const Communicator& communicator, std::int64_t n,
                             const GridShape& grid, std::uint64_t seed) {
  Matrix<double> matrix(communicator, Layout::block(n, n, grid));
  matrix.fill_random(seed);
  return matrix;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 4096;
  const int ranks = argc > 2 ? std::atoi(argv[2]) : 2;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 9;
  const double gflop =
      2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);

  run_ranks(ranks, [&](Communicator& communicator) {
    const Environment& environment = communicator.environment();
    const GridShape grid = choose_grid(communicator.size());
    const Matrix<double> A = random_matrix(communicator, n, grid, 1);
    const Matrix<double> B = random_matrix(communicator, n, grid, 2);
    Matrix<double> C(communicator, Layout::block(n, n, grid));
    const auto elements = static_cast<std::size_t>(communicator.rank() == 0 ? n * n : 0);
    const std::vector<double> a(elements, 0.5);
    const std::vector<double> b(elements, 0.25);
    std::vector<double> c(elements);

    std::vector<double> distributed;
    std::vector<double> local;
    for (int repeat = -1; repeat < repeats; ++repeat) {  // the first warms up
      barrier(communicator);
      if (communicator.rank() == 0) {
        const LocalGemm gemm = LocalGemm::open(environment, ranks);
        const auto start = Clock::now();
        gemm(Op::none, Op::none, n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(), n);
        if (repeat >= 0) local.push_back(seconds_since(start));
      }
      barrier(communicator);
      const LocalGemm gemm = LocalGemm::open(environment, 1);
      barrier(communicator);
      const auto start = Clock::now();
      multiply(1.0, A, B, 0.0, C, gemm);
      barrier(communicator);
      if (repeat >= 0) distributed.push_back(seconds_since(start));
    }
    if (communicator.rank() != 0) return;
    const LocalGemm gemm = LocalGemm::open(environment, 1);
    std::printf("# %lld x %lld x %lld, double, %s kernels of %s, median of %d\n",
                static_cast<long long>(n), static_cast<long long>(n), static_cast<long long>(n),
                gemm.kernels().c_str(), gemm.library().c_str(), repeats);
    std::printf("%-28s %10s %10s\n", "", "seconds", "GFLOP/s");
    std::printf("local, %2d threads            %10.4f %10.1f\n", ranks, median(local),
                gflop / median(local));
    std::printf("SUMMA, %2d ranks, %dx%d grid    %10.4f %10.1f\n", ranks, grid.rows(),
                grid.columns(), median(distributed), gflop / median(distributed));
    std::printf("ratio                        %10.3f\n", median(local) / median(distributed));
  });
}
