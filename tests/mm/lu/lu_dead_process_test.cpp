// A process that is killed in the midst of a factorisation: the others end with an error that names
// it, before the deadline.

#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>

#include "tests/collectives/processes.hpp"

#include <chrono>
#include <csignal>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/time.h>

namespace cuboid::detail {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Kills this process after a moment, wherever it is then: by the clock, since a process that gets
/// little of a busy machine would live for long by its own time.
void die_at_work() {
  std::signal(SIGALRM, [](int) { std::raise(SIGKILL); });
  const itimerval once{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 500000}};
  setitimer(ITIMER_REAL, &once, nullptr);
}

struct DyingCase {
  const char* name;
  Pivoting pivoting;
  GridShape grid;
  int layers, victim;
  bool cholesky = false;
  friend void PrintTo(const DyingCase& dying, std::ostream* out) { *out << dying.name; }
};

class LuDeadProcess : public testing::TestWithParam<DyingCase> {};

TEST_P(LuDeadProcess, IsNamedByEverySurvivor) {
  const auto& [name, pivoting, grid, layers, victim, is_cholesky] = GetParam();
  const int ranks = grid.size() * layers;
  const FactoriseOptions options{.pivoting = pivoting, .grid = grid, .layers = layers, .block = 16};
  const auto ends = run_processes(ranks, 20s, [&, victim = victim](Communicator& c) {
    const LocalKernels kernels = LocalKernels::open(c.environment(), 1);
    Matrix<double> A(c, Layout::block_cyclic(600, 600, 16, 16, GridShape(ranks, 1)));
    A.fill([](Global<Row> i, Global<Column> j) { return i.value == j.value ? 600.0 : 1.0; });
    const auto work = [&] {
      if (c.rank() == victim) die_at_work();
      for (;;) {
        if (is_cholesky) {
          cholesky(A, kernels, options);
        } else {
          factorise(A, kernels, options);
        }
      }
    };
    const auto start = Clock::now();
    const Error error = error_of(work);
    // Those who have nothing to do with the victim wait for others.
    c.revoke(error.what());
    require(std::string(error.what()).find(fmt::format("rank {} ", victim)) != std::string::npos,
            "another is blamed: {}", error.what());
    require(Clock::now() - start < 20s, "only after the deadline");
  });
  expect_victim_alone(ends, victim);
}

INSTANTIATE_TEST_SUITE_P(
    Lu, LuDeadProcess,
    testing::Values(DyingCase{"tournament", Pivoting::tournament, GridShape(2, 2), 1, 3},
                    DyingCase{"partial", Pivoting::partial, GridShape(3, 1), 1, 0},
                    DyingCase{"layers", Pivoting::tournament, GridShape(2, 1), 2, 2},
                    DyingCase{"cholesky", Pivoting::none, GridShape(1, 3), 1, 1, true}));

}  // namespace
}  // namespace cuboid::detail
