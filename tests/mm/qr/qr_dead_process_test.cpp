// A process that is killed in the midst of a QR factorisation: the others end with an error that
// names it, before the deadline.

#include <cuboid/error.hpp>
#include <cuboid/qr.hpp>

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

/// Kills this process after a moment, wherever it is then.
void die_at_work() {
  std::signal(SIGALRM, [](int) { std::raise(SIGKILL); });
  const itimerval once{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 500000}};
  setitimer(ITIMER_REAL, &once, nullptr);
}

struct DyingQr {
  const char* name;
  GridShape grid;
  int victim;
  friend void PrintTo(const DyingQr& dying, std::ostream* out) { *out << dying.name; }
};

class QrDeadProcess : public testing::TestWithParam<DyingQr> {};

TEST_P(QrDeadProcess, IsNamedByEverySurvivor) {
  const auto& [name, grid, victim] = GetParam();
  const int ranks = grid.size();
  const QrOptions options{.grid = grid, .block = 16};
  const auto ends = run_processes(ranks, 20s, [&, victim = victim](Communicator& c) {
    const LocalKernels kernels = LocalKernels::open(c.environment(), 1);
    Matrix<double> A(c, Layout::block_cyclic(600, 300, 16, 16, GridShape(ranks, 1)));
    A.fill_random(1);
    const auto work = [&] {
      if (c.rank() == victim) die_at_work();
      for (;;) qr(A, kernels, options);
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

INSTANTIATE_TEST_SUITE_P(Qr, QrDeadProcess,
                         testing::Values(DyingQr{"tree", GridShape(3, 1), 1},
                                         DyingQr{"grid", GridShape(2, 2), 3}));

}  // namespace
}  // namespace cuboid::detail
