// Latency of a message between two ranks of a node: half of a round trip between ranks 0 and 1, for
// sizes 8 B to 16 MiB; all other ranks wait. Prints the bytes, and the minimum and the median time
// in microseconds. Under mpirun the ranks are processes, otherwise two threads.

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/mpi.hpp>
#include <cuboid/point_to_point.hpp>

#include "base/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using namespace cuboid;

void measure(const Communicator& world) {
  constexpr int round_trips = 50;
  constexpr std::size_t longest = std::size_t{16} << 20;
  std::vector<std::byte> data(longest);
  for (std::size_t bytes = 8; bytes <= longest; bytes *= 4) {
    const auto message = std::span(data).first(bytes);
    std::vector<double> microseconds;
    barrier(world);
    for (int round_trip = 0; round_trip < round_trips && world.rank() < 2; ++round_trip) {
      const auto begin = std::chrono::steady_clock::now();
      if (world.rank() == 0) {
        send(world, message, 1);
        receive(world, message, 1);
      } else {
        receive(world, message, 0);
        send(world, message, 0);
      }
      const std::chrono::duration<double, std::micro> both =
          std::chrono::steady_clock::now() - begin;
      microseconds.push_back(both.count() / 2);
    }
    if (world.rank() != 0) continue;
    std::printf("%zu %.3f %.3f\n", bytes, *std::ranges::min_element(microseconds),
                cuboid::detail::median(microseconds));
  }
  barrier(world);
}

}  // namespace

int main() {
  if (!MpiSession::launched()) {
    run_ranks(2, measure);
    return 0;
  }
  const MpiSession session;
  measure(Communicator(mpi_bootstrap(MPI_COMM_WORLD)));
  return 0;
}
