// A rank that dies or is stopped while matrices are redistributed through the memory of a node:
// every survivor names it, also one that waits for another survivor.

#include <cuboid/matrix.hpp>
#include <cuboid/redistribute.hpp>

#include "tests/collectives/processes.hpp"

#include <csignal>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace dead_rank_test {

using namespace std::chrono_literals;

constexpr int ranks = 5;
constexpr int victim = 2;

/// Redistributes between rows and columns until `round`, when the victim ends by a signal.
void redistribute_until(int round, int end_of_victim, Communicator& communicator) {
  constexpr std::int64_t n = 1500;  // so much goes through shared memory
  Matrix<double> rows(communicator, Layout::block(n, n, {ranks, 1}));
  Matrix<double> columns(communicator, Layout::block(n, n, {1, ranks}));
  for (int i = 0;; ++i) {
    if (communicator.rank() == victim && i == round) std::raise(end_of_victim);
    redistribute(Op::none, rows, columns);
    redistribute(Op::none, columns, rows);
  }
}

std::vector<int> ends_when(int round, int end_of_victim) {
  const bool killed = end_of_victim == SIGKILL;
  return run_processes(
      ranks, killed ? 20s : 3s,
      [&](Communicator& world) {
        const Error error = error_of([&] { redistribute_until(round, end_of_victim, world); });
        world.revoke(error.what());
        const std::string name = fmt::format("rank {} on", victim);
        require(std::string_view(error.what()).find(name) != std::string_view::npos,
                "another is blamed: {}", error.what());
        require(!killed || error.code() == ErrorCode::peer_failed, "late: {}", error.what());
        _exit(all_is_well);  // matrices and plans are not freed together any more
      },
      [](int) {}, victim);
}

class RankInRedistribution : public testing::TestWithParam<int> {};

TEST_P(RankInRedistribution, IsNamedByEverySurvivor) {
  for (const int round : {0, 20}) {
    SCOPED_TRACE(round);
    expect_victim_alone(ends_when(round, GetParam()), victim);
  }
}
INSTANTIATE_TEST_SUITE_P(Signals, RankInRedistribution, testing::Values(SIGKILL, SIGSTOP),
                         [](const auto& info) {
                           return std::string(info.param == SIGKILL ? "killed" : "stopped");
                         });

}  // namespace dead_rank_test
}  // namespace cuboid::detail
