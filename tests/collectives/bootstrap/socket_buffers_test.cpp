// Socket buffers that suit the links: small where a link is slow, the kernel's own where it is
// fast.

#include "collectives/bootstrap/socket_buffers.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace socket_buffers_test {

constexpr double mbit = 1e6 / 8;
constexpr std::size_t limit = 212992;

TEST(SocketBuffers, OfSlowLinksHoldTwoSegments) {
  for (const double rate : {1.0, 20.0, 50.0, 100.0, 200.0}) {
    EXPECT_EQ(socket_buffer_bytes(rate * mbit, limit), 65536u) << rate << " Mbit/s";
  }
}

TEST(SocketBuffers, GrowWithTheRateUpToWhatTheKernelGrants) {
  EXPECT_EQ(socket_buffer_bytes(1000 * mbit, limit), 187500u);
  EXPECT_EQ(socket_buffer_bytes(2000 * mbit, limit), std::nullopt);
  EXPECT_EQ(socket_buffer_bytes(2000 * mbit, 4u << 20), 375000u);
  EXPECT_EQ(socket_buffer_bytes(100 * mbit, 4096), std::nullopt);
}

TEST(SocketBuffers, AreTheKernelsWhereTheRateIsUnknown) {
  EXPECT_EQ(socket_buffer_bytes(0, limit), std::nullopt);
  EXPECT_EQ(socket_buffer_bytes(-1, limit), std::nullopt);
}

TEST(SocketBuffers, LinksThatLeadToNoOtherNodeDoNotCount) {
  LinkReport cable, network, management;
  cable.name = "x0";
  cable.neighbours.push_back({"10.0.0.2", ""});
  cable.bytes_per_second = 5;
  network.name = "eth0";
  network.bytes_per_second = 7;
  management.name = "eth1";
  management.bytes_per_second = 9;
  const LinkReport links[] = {cable, network, management};
  EXPECT_EQ(fastest_rate(links, {"eth0"}), 7);
  EXPECT_EQ(fastest_rate(links, {"br0"}), 5);
  EXPECT_EQ(fastest_rate({}, {"eth0"}), 0);
}

}  // namespace socket_buffers_test
}  // namespace cuboid::detail
