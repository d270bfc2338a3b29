// What a program is told of a call's time.

#include <cuboid/collectives.hpp>
#include <cuboid/prediction.hpp>

#include "tests/collectives/on_ranks.hpp"

#include <vector>

namespace cuboid::detail {
namespace prediction_test {

TEST(Prediction, GrowsWithTheMessageAndFallsWithTheRate) {
  for (const char* operation : {"broadcast", "reduce", "allreduce", "allgather", "reduce_scatter",
                                "gather", "scatter", "alltoall"}) {
    const Prediction brief = predict(operation, 8, "torus:4x4", "bgp");
    const Prediction longer = predict(operation, 1 << 24, "torus:4x4", "bgp");
    const Prediction slow = predict(operation, 1 << 24, "torus:4x4@100mbit", "bgp");
    EXPECT_GT(brief.seconds, 0) << operation;
    EXPECT_FALSE(brief.algorithm.empty()) << operation;
    EXPECT_GT(longer.seconds, brief.seconds) << operation;
    EXPECT_GT(slow.seconds, longer.seconds) << operation;
  }
}

TEST(Prediction, IsOfTheCallThatTheRanksMake) {
  on_worlds(
      [](Communicator& ranks) {
        const std::string algorithm = predict(ranks, "broadcast", 100).algorithm;
        std::vector<char> buffer(100);
        const auto planned = plan_broadcast(ranks, buffer, 0);
        require(planned.algorithm() == algorithm, "{} predicted, {} planned", algorithm,
                planned.algorithm());
      },
      {2, 3});
}

TEST(Prediction, RefusesWhatHasNoModel) {
  const auto refused = [](const char* operation, std::size_t bytes, const char* shape,
                          const char* machine) {
    return error_of([&] { predict(operation, bytes, shape, machine); });
  };
  const Error operation = refused("bcast", 8, "torus:4x4", "bgp");
  EXPECT_EQ(operation.code(), ErrorCode::invalid_argument);
  EXPECT_NE(std::string(operation.what()).find("\"bcast\"; give one of broadcast, reduce"),
            std::string::npos);
  EXPECT_EQ(refused("broadcast", 8, "no shape", "bgp").code(), ErrorCode::parse);
  for (const std::string& machine : machine_names())
    EXPECT_GT(predict("broadcast", 8, "torus:4x4", machine).seconds, 0) << machine;
  EXPECT_EQ(refused("broadcast", 8, "torus:4x4", "bgq").code(), ErrorCode::invalid_argument);
  EXPECT_EQ(refused("broadcast", 8, "torus:1000x1000x1000", "bgp").code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(refused("broadcast", std::size_t{1} << 62, "torus:4x4", "bgp").code(),
            ErrorCode::invalid_argument);
}

}  // namespace prediction_test
}  // namespace cuboid::detail
