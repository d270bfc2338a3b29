#pragma once

#include <cuboid/communicator.hpp>

#include "tests/collectives/bootstrap/directory_bootstrap.hpp"
#include "tests/collectives/bootstrap/temporary_directory.hpp"
#include "tests/collectives/on_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail {

inline constexpr int all_is_well = 0;
inline constexpr int nobody = -1;

/// Runs `body` as `ranks` processes, `before` before they meet, and returns how each ended, as
/// waitpid() says. The rank `stopped`, where it is still there when the others have ended, is
/// killed then.
inline std::vector<int> run_processes(
    int ranks, std::chrono::duration<double> timeout,
    const std::function<void(Communicator&)>& body,
    const std::function<void(int)>& before = [](int) {}, int stopped = nobody) {
  const TemporaryDirectory directory;
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      int status = all_is_well;
      try {
        before(rank);
        Communicator world(std::make_unique<DirectoryBootstrap>(directory.path(), rank, ranks),
                           with_timeout(timeout));
        body(world);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        status = 1;
      }
      _exit(status);
    }
    children.push_back(child);
  }
  // Whoever ends first is taken note of first: a dead process that nobody has asked for looks alive
  // to the others.
  std::vector<int> ends(children.size());
  for (std::size_t ended = 0; ended < children.size(); ++ended) {
    if (stopped != nobody && ended + 1 == children.size())
      kill(children[static_cast<std::size_t>(stopped)], SIGKILL);
    int status = 0;
    const pid_t child = wait(&status);
    const auto rank = std::ranges::find(children, child) - children.begin();
    ends.at(static_cast<std::size_t>(rank)) = status;
  }
  return ends;
}

/// Expects all ranks but the victim, which was killed, to have ended well.
inline void expect_victim_alone(const std::vector<int>& ends, int victim) {
  for (int rank = 0; rank < static_cast<int>(ends.size()); ++rank) {
    const int end = ends[static_cast<std::size_t>(rank)];
    if (rank == victim) {
      EXPECT_TRUE(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL);
    } else {
      EXPECT_EQ(end, all_is_well) << "rank " << rank;
    }
  }
}

}  // namespace cuboid::detail
