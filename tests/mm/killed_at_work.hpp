#pragma once

#include <cuboid/error.hpp>

#include "tests/collectives/processes.hpp"

#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <sys/time.h>

namespace cuboid::detail {

/// Kills this process after half a second, wherever it is then: by the clock, since a process that
/// gets little of a busy machine would live for long by its own time.
inline void die_at_work() {
  std::signal(SIGALRM, [](int) { std::raise(SIGKILL); });
  const itimerval once{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 500000}};
  setitimer(ITIMER_REAL, &once, nullptr);
}

/// Runs `ranks` processes. Each repeats its work until the victim is killed in the midst of it.
/// Expects the others to end with an error that names the victim, before the deadline.
/// @param with_work  makes what is needed, and calls repeat(work) once.
using Repeat = std::function<void(const std::function<void()>& work)>;
inline void expect_survivors_to_name(
    int victim, int ranks, const std::function<void(Communicator&, const Repeat&)>& with_work) {
  using namespace std::chrono_literals;
  constexpr auto deadline = 20s;
  const auto ends = run_processes(ranks, deadline, [&](Communicator& c) {
    with_work(c, [&](const std::function<void()>& work) {
      const auto start = std::chrono::steady_clock::now();
      const Error error = error_of([&] {
        if (c.rank() == victim) die_at_work();
        for (;;) work();
      });
      // Those who have nothing to do with the victim wait for others.
      c.revoke(error.what());
      require(std::string(error.what()).find(fmt::format("rank {} ", victim)) != std::string::npos,
              "another is blamed: {}", error.what());
      require(std::chrono::steady_clock::now() - start < deadline, "only after the deadline");
    });
  });
  expect_victim_alone(ends, victim);
}

}  // namespace cuboid::detail
