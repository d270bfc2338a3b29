// Every collective on 64 simulated nodes, each rank's result held against a sequential reference.
#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include "bench/smpi/simulated_world.hpp"
#include "tests/collectives/operations/calls.hpp"

#include <array>
#include <span>
#include <vector>

namespace cuboid::detail::smpi {
namespace {

void check_collectives(const Communicator& c, std::span<const std::size_t> counts) {
  unsigned salt = 0;
  for (const std::size_t count : counts) {
    const int root = static_cast<int>(++salt * 7) % c.size();
    check_broadcast<double>(c, count, root, salt);
    check_reduce<double>(c, count, root, Reduction::Kind::sum, InPlace::no, salt);
    check_allreduce<double>(c, count, Reduction::Kind::sum, InPlace::yes, salt);
    check_allgather<float>(c, count, InPlace::no, salt);
    check_reduce_scatter<float>(c, count, Reduction::Kind::sum, InPlace::no, salt);
    check_gather<int>(c, count, root, InPlace::no, salt);
    check_scatter<int>(c, count, root, InPlace::no, salt);
    check_alltoall<int>(c, count / 10 + 1, salt);
  }
  barrier(c);
}

/// Puts and gets that their owner serves.
void check_window(const Communicator& c) {
  Window window(c, 10000);
  const int next = (c.rank() + 1) % c.size();
  const auto mine = pattern<std::byte>(c.rank(), 10000, 1);
  window.put(mine, next, 0);
  window.fence();
  std::vector<std::byte> back(10000);
  window.get(back, next, 0);
  window.fence();
  require(back == mine, "what was put is not what is got");
}

}  // namespace

int run(int, char**) {
  const Communicator world = world_on({parse_shape("torus:4x4x4").shape, 1e9, 1e-6});
  constexpr std::array<std::size_t, 2> counts = {1, 1500};
  // Each rank chooses its algorithms, and all ranks are simulated on one core.
  check_collectives(world, std::span(counts).last(1));
  check_collectives(world.split(world.rank() / 16, -world.rank()), counts);
  check_window(world);
  std::vector<int> arrived(5000);
  exchange(world, pattern<int>(world.rank(), 5000, 3), world.size() - 1 - world.rank(), arrived,
           world.size() - 1 - world.rank());
  require(arrived == pattern<int>(world.size() - 1 - world.rank(), 5000, 3), "a message is wrong");
  return 0;
}

}  // namespace cuboid::detail::smpi
