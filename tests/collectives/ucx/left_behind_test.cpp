// What a rank has sent over TCP arrives, whatever the rank does next: it may wait for others
// outside of Cuboid. Two processes, as if on hosts of their own.
#include <cuboid/collectives.hpp>
#include <cuboid/point_to_point.hpp>

#include "collectives/carrier/peer_information.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "tests/collectives/bootstrap/directory_bootstrap.hpp"
#include "tests/collectives/bootstrap/temporary_directory.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/collectives/ucx/replaced_calls.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail {
namespace left_behind_test {

constexpr std::size_t message_bytes = 100000;

RankInformation on_host(const char* name) {
  RankInformation information;
  information.host = information.node = information.machine = name;
  information.cores = {0};
  return information;
}

/// Runs `body` on both, which meet outside of Cuboid after it; false if either fails.
bool both_end(const std::function<void(const Communicator&)>& body) {
  const TemporaryDirectory directory;
  std::array<pid_t, 2> children{};
  for (int rank = 0; rank < 2; ++rank) {
    pid_t& child = children.at(static_cast<std::size_t>(rank));
    child = fork();
    if (child != 0) continue;
    int status = 0;
    try {
      setenv("UCX_TLS", "tcp,self", 1);
      setenv("UCX_NET_DEVICES", "lo", 1);
      sockets_take_a_half = true;
      DirectoryBootstrap bootstrap(directory.path(), rank, 2);
      Environment environment = with_timeout(std::chrono::seconds(5));
      environment.topology = "flat";
      const Communicator world = make_communicator(
          bootstrap, environment,
          {std::make_shared<PeerInformation>(std::array{on_host("a"), on_host("b")}, rank),
           nullptr});
      for (int turn = 0; turn < 5; ++turn) {
        body(world);
        bootstrap.allgather({});
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      status = 1;
    }
    _exit(status);
  }
  bool well = true;
  for (const pid_t child : children) {
    int end = 0;
    waitpid(child, &end, 0);
    well = well && end == 0;
  }
  return well;
}

TEST(WhatWasSent, ByABroadcastArrives) {
  EXPECT_TRUE(both_end([](const Communicator& world) {
    std::vector<std::byte> data(message_bytes, std::byte{world.rank() == 0});
    broadcast(world, data, 0);
    require(data.back() == std::byte{1}, "the data is wrong");
  }));
}

TEST(WhatWasSent, ByAStartedBroadcastArrives) {
  EXPECT_TRUE(both_end([](const Communicator& world) {
    std::vector<std::byte> data(message_bytes, std::byte{world.rank() == 0});
    Request request = start_broadcast(world, data, 0);
    while (!request.test()) continue;
    require(data.back() == std::byte{1}, "the data is wrong");
  }));
}

TEST(WhatWasSent, AsAMessageArrives) {
  EXPECT_TRUE(both_end([](const Communicator& world) {
    std::vector<std::byte> data(message_bytes, std::byte{world.rank() == 0});
    if (world.rank() == 0) {
      send(world, data, 1);
    } else {
      receive(world, data, 0);
    }
    require(data.back() == std::byte{1}, "the data is wrong");
  }));
}

}  // namespace left_behind_test
}  // namespace cuboid::detail
