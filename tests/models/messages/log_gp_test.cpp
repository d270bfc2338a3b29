#include "models/messages/log_gp.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace log_gp_test {

constexpr LogGP network{
    .latency = 8, .send_overhead = 1, .receive_overhead = 2, .gap = 4, .byte_gap = 0.25};

TEST(LogGp, AMessageTakesBothOverheadsTheLatencyAndItsBytes) {
  EXPECT_EQ(message_seconds(network, 0), 11);
  EXPECT_EQ(message_seconds(network, 16), 15);
}

TEST(LogGp, LogPHasOneOverhead) {
  const LogGP logp = log_p(8, 1, 4, 0.5);
  EXPECT_EQ(logp.send_overhead, 1);
  EXPECT_EQ(logp.receive_overhead, 1);
  EXPECT_EQ(message_seconds(logp, 2), 8 + 2 + 1);
}

TEST(LogGp, HockneyTakesAsLongForAMessage) {
  for (const double bytes : {0.0, 1.0, 1e6}) {
    const Hockney message = hockney(network);
    EXPECT_EQ(message.alpha + message.beta * bytes, message_seconds(network, bytes));
    EXPECT_EQ(message_seconds(log_gp(message), bytes), message_seconds(network, bytes));
  }
}

TEST(LogGp, AllOfHockneysAlphaIsLatency) {
  const LogGP given = log_gp(Hockney{.alpha = 3, .beta = 2});
  EXPECT_EQ(given.latency, 3);
  EXPECT_EQ(given.send_overhead + given.receive_overhead + given.gap, 0);
  EXPECT_EQ(given.byte_gap, 2);
}

}  // namespace log_gp_test
}  // namespace cuboid::detail
