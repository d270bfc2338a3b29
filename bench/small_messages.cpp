// Latency of short collectives against the MPI this program was launched by: the same buffers,
// alternating batches, so that whatever else the machine does meets both alike. Run: mpirun -n 2
// bench_small_messages

#include <cuboid/collectives/allreduce.hpp>
#include <cuboid/collectives/barrier.hpp>
#include <cuboid/collectives/broadcast.hpp>
#include <cuboid/collectives/transport/mpi_bootstrap.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace cuboid;

constexpr int batches = 41;
constexpr int calls_per_batch = 2000;

// Mean seconds of a call over a batch, on the slowest rank; ranks meet before every call, as in the
// OSU benchmarks.
double batch_seconds(const std::function<void()>& meet, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  Clock::duration total{};
  for (int i = 0; i < calls_per_batch; ++i) {
    meet();
    const auto start = Clock::now();
    call();
    total += Clock::now() - start;
  }
  double seconds = std::chrono::duration<double>(total).count() / calls_per_batch;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void compare(const char* operation, std::size_t bytes, int rank, const Communicator& communicator,
             const std::function<void()>& ours, const std::function<void()>& theirs) {
  std::vector<double> cuboid_seconds;
  std::vector<double> mpi_seconds;
  for (int batch = 0; batch < batches; ++batch) {
    cuboid_seconds.push_back(batch_seconds([&] { barrier(communicator); }, ours));
    mpi_seconds.push_back(batch_seconds([] { MPI_Barrier(MPI_COMM_WORLD); }, theirs));
  }
  const double cuboid_median = median(cuboid_seconds) * 1e6;
  const double mpi_median = median(mpi_seconds) * 1e6;
  if (rank == 0) {
    std::printf("%-10s %8zu %12.3f %12.3f %8.2f\n", operation, bytes, cuboid_median, mpi_median,
                cuboid_median / mpi_median);
  }
}

}  // namespace

int main() {
  const MpiSession session;
  const Communicator communicator(mpi_bootstrap(MPI_COMM_WORLD));
  const int rank = communicator.rank();
  if (rank == 0) {
    std::printf("# %d ranks, median over %d batches of %d calls\n", communicator.size(), batches,
                calls_per_batch);
    std::printf("%-10s %8s %12s %12s %8s\n", "operation", "bytes", "Cuboid us", "MPI us", "ratio");
  }
  for (const std::size_t count : {1u, 16u, 128u, 1024u}) {
    std::vector<double> input(count, rank + 1.0);
    std::vector<double> output(count);
    const int length = static_cast<int>(count);
    const std::size_t bytes = count * sizeof(double);
    compare(
        "allreduce", bytes, rank, communicator,
        [&] { allreduce(communicator, input, output, Reduction::Kind::sum); },
        [&] {
          MPI_Allreduce(input.data(), output.data(), length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        });
    compare(
        "broadcast", bytes, rank, communicator, [&] { broadcast(communicator, output, 0); },
        [&] { MPI_Bcast(output.data(), length, MPI_DOUBLE, 0, MPI_COMM_WORLD); });
  }
  compare(
      "barrier", 0, rank, communicator, [&] { barrier(communicator); },
      [] { MPI_Barrier(MPI_COMM_WORLD); });
}
