// Rates of long collectives against the MPI this program was launched by, on the same buffers, in
// alternation. Meant for the lab, where the network is the clock:
//   tools/lab up torus:4x4 && tools/lab run -- build/release/bench/bench_long_messages 16777216 9

#include <cuboid/collectives/allgather.hpp>
#include <cuboid/collectives/allreduce.hpp>
#include <cuboid/collectives/broadcast.hpp>
#include <cuboid/collectives/reduce.hpp>
#include <cuboid/collectives/transport/mpi_bootstrap.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

using namespace cuboid;

// Seconds of one call on the slowest rank, all ranks having met before.
double seconds_of(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = Clock::now();
  call();
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 16 << 20;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 9;

  const MpiSession session;
  const Communicator communicator(mpi_bootstrap(MPI_COMM_WORLD));
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const std::size_t share = bytes / sizeof(double) / ranks;
  std::vector<double> input(share * ranks, communicator.rank());
  std::vector<double> output(share * ranks);
  const std::vector<double> block(share, communicator.rank());
  const int count = static_cast<int>(input.size());
  const int block_count = static_cast<int>(share);
  const double megabits = static_cast<double>(input.size() * sizeof(double)) * 8e-6;

  const auto compare = [&](const char* operation, const std::function<void()>& ours,
                           const std::function<void()>& theirs) {
    std::vector<double> cuboid_seconds;
    std::vector<double> mpi_seconds;
    for (int repeat = -1; repeat < repeats; ++repeat) {  // the first connects the ranks
      const double cuboid_time = seconds_of(ours);
      const double mpi_time = seconds_of(theirs);
      if (repeat < 0) continue;
      cuboid_seconds.push_back(cuboid_time);
      mpi_seconds.push_back(mpi_time);
    }
    if (communicator.rank() != 0) return;
    std::printf("%-10s %12.1f %12.1f %8.2f\n", operation, megabits / median(cuboid_seconds),
                megabits / median(mpi_seconds), median(mpi_seconds) / median(cuboid_seconds));
  };

  if (communicator.rank() == 0) {
    std::printf("# %zu ranks, %zu bytes, median of %d\n", ranks, input.size() * sizeof(double),
                repeats);
    std::printf("%-10s %12s %12s %8s\n", "operation", "Cuboid Mb/s", "MPI Mb/s", "ratio");
  }
  compare(
      "broadcast", [&] { broadcast(communicator, input, 0); },
      [&] { MPI_Bcast(input.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD); });
  compare(
      "reduce", [&] { reduce(communicator, input, output, Reduction::Kind::sum, 0); },
      [&] {
        MPI_Reduce(input.data(), output.data(), count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      });
  compare(
      "allreduce", [&] { allreduce(communicator, input, output, Reduction::Kind::sum); },
      [&] {
        MPI_Allreduce(input.data(), output.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      });
  compare(
      "allgather", [&] { allgather(communicator, block, output); },
      [&] {
        MPI_Allgather(block.data(), block_count, MPI_DOUBLE, output.data(), block_count, MPI_DOUBLE,
                      MPI_COMM_WORLD);
      });
}
