// A process that dies in the middle of collectives: every survivor must end with an error that
// names it, within the deadline. The processes are forked here, since an MPI launcher would end
// the survivors itself; they find each other through files, by a bootstrap of their own.

#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include "tests/collectives/communicator/unwinding.hpp"
#include "tests/collectives/operations/calls.hpp"
#include "tests/collectives/processes.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>

#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail {
namespace dead_process_test {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Processes, FindEachOtherThroughAnyBootstrap) {
  const auto ends = run_processes(4, 30s, [](Communicator& c) {
    check_allreduce<double>(c, 1000, Reduction::Kind::sum, InPlace::no, 1);
    check_alltoall<int>(c, 5000, 2);
    check_broadcast<double>(c.split(c.rank() % 2, c.rank()), 50000, 1, 3);
  });
  for (const int end : ends) EXPECT_EQ(end, all_is_well);
}

TEST(Processes, OfWhichOneHasNoNetworkAllSaySo) {
  const auto start = Clock::now();
  const auto ends = run_processes(
      3, 20s, [](Communicator&) { throw Wrong("there is a communicator"); },
      [](int rank) {
        if (rank == 1) setenv("UCX_TLS", "pigeons", 1);
      });
  for (const int end : ends) EXPECT_TRUE(WIFEXITED(end) && WEXITSTATUS(end) == 1);
  EXPECT_LT(Clock::now() - start, 15s);
}

TEST(Processes, ThatEndAreNotMissedByThoseWhoNeedThemNoMore) {
  setenv("UCX_TLS", "tcp,self", 1);
  setenv("UCX_NET_DEVICES", "lo", 1);
  const auto ends = run_processes(3, 20s, [](Communicator& c) {
    // Rank 0 sends to rank 2, which never sends it anything, and waits for rank 1 when rank 2 has
    // long had its part and ended.
    const Communicator flat = c.with_algorithms("broadcast:flat,reduce:chain");
    std::vector<int> data(10, c.rank()), sum(10);
    if (c.rank() == 2) std::this_thread::sleep_for(300ms);
    broadcast(flat, data, 0);
    if (c.rank() == 1) std::this_thread::sleep_for(4s);
    reduce(flat, data, sum, Reduction::Kind::sum, 0);
  });
  unsetenv("UCX_TLS");
  unsetenv("UCX_NET_DEVICES");
  for (const int end : ends) EXPECT_EQ(end, all_is_well);
}

TEST(Processes, GetSeveralLongMessagesAtOnceOverConnectionsThatAreNew) {
  setenv("UCX_TLS", "tcp,self", 1);
  setenv("UCX_NET_DEVICES", "lo", 1);
  const auto ends = run_processes(2, 20s, [](Communicator& c) {
    constexpr int messages = 5;
    std::vector<std::vector<double>> data(messages, std::vector<double>(20000, c.rank()));
    std::vector<Request> requests;
    for (int tag = 0; tag < messages; ++tag) {
      auto& message = data[static_cast<std::size_t>(tag)];
      requests.push_back(c.rank() == 0 ? start_send(c, message, 1, tag)
                                       : start_receive(c, message, 0, tag));
    }
    // Looks so seldom that all of them lie there at once, and so few times that nothing but the
    // messages makes it connect to their sender.
    for (int look = 0; look < 50 && c.rank() == 1; ++look) {
      c.progress();
      std::this_thread::sleep_for(10ms);
    }
    for (Request& request : requests) request.wait();
    require(data.back().back() == 0, "{} was received", data.back().back());
  });
  unsetenv("UCX_TLS");
  unsetenv("UCX_NET_DEVICES");
  for (const int end : ends) EXPECT_EQ(end, all_is_well);
}

TEST(Processes, HaveDoneWhatTheyDidBeforeTheyFailed) {
  const auto ends = run_processes(3, 20s, [](Communicator& c) {
    if (c.rank() == 0) {
      Request first = start_barrier(c);
      std::this_thread::sleep_for(1s);  // rank 1 fails, and rank 2 says so
      first.wait();
    } else {
      barrier(c);
    }
    if (c.rank() == 1) throw OutOfInk();
    require_error([&] { barrier(c); }, ErrorCode::peer_failed, {"rank 1 "});
  });
  for (const int survivor : {0, 2})
    EXPECT_EQ(ends[static_cast<std::size_t>(survivor)], all_is_well) << "rank " << survivor;
}

class Thrower : public testing::TestWithParam<std::tuple<const char*, InScope>> {};

TEST_P(Thrower, IsNamedByTheOthersAtOnce) {
  const char* const networks = std::get<0>(GetParam());
  const InScope what = std::get<1>(GetParam());
  if (networks != nullptr) setenv("UCX_TLS", networks, 1);
  const auto ends = run_processes(
      3, long_deadline, [&](Communicator& world) { work_until_rank_1_throws(world, what); });
  if (networks != nullptr) unsetenv("UCX_TLS");
  for (int rank = 0; rank < 3; ++rank) {
    const int end = ends[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(WIFEXITED(end) && WEXITSTATUS(end) == (rank == 1 ? 1 : all_is_well)) << rank;
  }
}
INSTANTIATE_TEST_SUITE_P(Processes, Thrower,
                         testing::Combine(testing::Values(nullptr, "tcp,self"),
                                          testing::Values(InScope::nothing, InScope::request,
                                                          InScope::window)));

class DeadProcess : public testing::TestWithParam<int> {};

TEST_P(DeadProcess, IsNamedByEverySurvivorWithinTheDeadline) {
  constexpr int ranks = 4;
  const int victim = GetParam();
  const auto ends = run_processes(ranks, 20s, [&](Communicator& c) {
    std::vector<double> data(10000);
    const auto start = Clock::now();
    const auto work = [&] {
      for (int round = 0;; ++round) {
        if (c.rank() == victim && round == 50) std::raise(SIGKILL);
        allreduce(c, data, data, Reduction::Kind::sum);
      }
    };
    require_error(work, ErrorCode::peer_failed, {"allreduce", fmt::format("rank {} on", victim)});
    require(Clock::now() - start < 20s, "only after the deadline");
  });
  expect_victim_alone(ends, victim);
}
INSTANTIATE_TEST_SUITE_P(Processes, DeadProcess, testing::Values(0, 3));

TEST_P(DeadProcess, LeavesSurvivorsThatGoOn) {
  constexpr int ranks = 5;
  const int victim = GetParam();
  const auto ends = run_processes(ranks, 20s, [&](Communicator& c) {
    std::vector<double> data(10000);
    const auto work = [&] {
      for (int round = 0;; ++round) {
        if (c.rank() == victim && round == 50) std::raise(SIGKILL);
        allreduce(c, data, data, Reduction::Kind::sum);
      }
    };
    require_error(work, ErrorCode::peer_failed, {"allreduce"});
    const Communicator left = c.shrink();
    require(left.size() == ranks - 1, "{} are left", left.size());
    check_allreduce<double>(left, 5000, Reduction::Kind::sum, InPlace::no, 1);
    check_broadcast<double>(left, 100000, left.size() - 1, 2);
    check_alltoall<int>(left, 3000, 3);
  });
  expect_victim_alone(ends, victim);
}

class ReadDeadProcess : public testing::TestWithParam<std::string> {};

TEST_P(ReadDeadProcess, IsNamedByWhoReadsItsMemory) {
  const bool one_get = GetParam() == "wait";
  // As between nodes, where memory is not shared.
  setenv("UCX_TLS", "tcp,self", 1);
  setenv("UCX_NET_DEVICES", "lo", 1);
  const auto ends = run_processes(2, 20s, [&](Communicator& c) {
    constexpr std::size_t bytes = 1 << 20;
    auto window = std::make_optional<Window>(c, bytes);
    std::vector<std::byte> mine(bytes), more(bytes);
    if (c.rank() == 1) {
      receive(c, std::span(mine).first(0), 0);
      std::raise(SIGKILL);
    }
    require_error(
        [&] {
          send(c, std::span(mine).first(0), 1);
          for (int turn = 0; turn < 1000; ++turn) {
            const auto get = window->get(mine, 1, 0);
            window->get(more, 1, 0);
            one_get ? window->wait(get) : window->flush();
            std::this_thread::sleep_for(1ms);
          }
        },
        ErrorCode::peer_failed, {"rank 1"});
    require(c.shrink().size() == 1, "who reads cannot go on");
    _exit(all_is_well);  // without the fence that a window ends with
  });
  unsetenv("UCX_TLS");
  unsetenv("UCX_NET_DEVICES");
  EXPECT_EQ(ends[0], all_is_well);
}
INSTANTIATE_TEST_SUITE_P(Processes, ReadDeadProcess, testing::Values("flush", "wait"));

// All read and write each other's memory by the owners' help, as between nodes without RDMA.
class InWindows : public testing::TestWithParam<int> {};

TEST_P(InWindows, AKilledOrStoppedProcessIsAnErrorOfTheOthers) {
  const int end_of_victim = GetParam();
  setenv("UCX_TLS", "tcp,self", 1);
  setenv("UCX_NET_DEVICES", "lo", 1);
  constexpr int ranks = 4;
  constexpr int victim = 2;
  for (int trial = 0; trial < 3; ++trial) {
    const auto ends = run_processes(
        ranks, 3s,
        [&](Communicator& c) {
          constexpr std::size_t bytes = 300000;
          {
            Window window(c, bytes * ranks);
            std::vector<std::vector<std::byte>> mine(ranks, std::vector<std::byte>(bytes));
            const auto work = [&] {
              for (int round = 0;; ++round) {
                for (int peer = 0; peer < ranks; ++peer) {
                  auto& buffer = mine[static_cast<std::size_t>(peer)];
                  const auto place = bytes * static_cast<std::size_t>(c.rank());
                  if ((round + peer) % 2 == 0) {
                    window.get(buffer, peer, place);
                  } else {
                    window.put(buffer, peer, place);
                  }
                }
                if (c.rank() == victim && round == 5 + trial * 3) std::raise(end_of_victim);
                window.flush();
              }
            };
            const Error error = error_of(work);
            require(error.code() == ErrorCode::peer_failed || error.code() == ErrorCode::timeout,
                    "unexpected: {}", error.what());
          }
          // The memory is gone: what others still ask for is refused.
          const Communicator left = c.shrink();
          require(left.size() >= 1, "nobody is left");
        },
        [](int) {}, victim);
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank == victim) continue;
      const int end = ends[static_cast<std::size_t>(rank)];
      EXPECT_FALSE(WIFSIGNALED(end)) << "rank " << rank << " died of signal " << WTERMSIG(end);
    }
  }
  unsetenv("UCX_TLS");
  unsetenv("UCX_NET_DEVICES");
}
INSTANTIATE_TEST_SUITE_P(Processes, InWindows, testing::Values(SIGKILL, SIGSTOP));

TEST(Processes, NameOneThatIsStopped) {
  constexpr int ranks = 6;
  constexpr int victim = 5;
  const auto ends = run_processes(
      ranks, 2s,
      [&](Communicator& c) {
        const Communicator own = c.split(0, -c.rank());  // numbered the other way round
        std::vector<double> data(10000);
        const auto work = [&] {
          for (int round = 0;; ++round) {
            if (c.rank() == victim && round == 50) std::raise(SIGSTOP);
            allreduce(own, data, data, Reduction::Kind::sum);
          }
        };
        const Error error = error_of(work);
        c.revoke(error.what());
        require(std::string(error.what())
                        .find(fmt::format("rank {} (rank 0 of this communicator)", victim)) !=
                    std::string::npos,
                "another is blamed: {}", error.what());
      },
      [](int) {}, victim);
  for (int rank = 0; rank < victim; ++rank)
    EXPECT_EQ(ends[static_cast<std::size_t>(rank)], all_is_well) << "rank " << rank;
}

/// The TCP sockets on which this process listens.
int listening_sockets() {
  std::set<std::string> mine;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) mine.insert(target.substr(8, target.size() - 9));
  }
  int listening = 0;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> columns((std::istream_iterator<std::string>(words)), {});
      constexpr std::size_t state = 3, inode = 9;
      if (columns.size() > inode && columns[state] == "0A" && mine.contains(columns[inode]))
        ++listening;
    }
  }
  return listening;
}

TEST(Processes, OfOneNodeAreOutOfReachOfTheNetwork) {
  for (const int ranks : {1, 3}) {
    const auto ends = run_processes(ranks, 20s, [](Communicator& c) {
      check_allreduce<double>(c, 1000, Reduction::Kind::sum, InPlace::no, 1);
      require(listening_sockets() == 0, "{} sockets listen", listening_sockets());
    });
    for (const int end : ends) EXPECT_EQ(end, all_is_well) << ranks << " ranks";
  }
}

/// SysV segments that one of these processes has made.
int segments_of(const std::set<std::string>& processes) {
  std::ifstream table("/proc/sysvipc/shm");
  int segments = 0;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    const std::vector<std::string> columns((std::istream_iterator<std::string>(words)), {});
    constexpr std::size_t maker = 4;
    if (columns.size() > maker && processes.contains(columns[maker])) ++segments;
  }
  return segments;
}

TEST(Processes, ThatAreKilledLeaveNoSharedMemoryBehind) {
  const TemporaryDirectory directory;
  run_processes(3, 5s, [&](Communicator& c) {
    const Window window(c, 1 << 20);
    check_allreduce<double>(c, 1000, Reduction::Kind::sum, InPlace::no, 1);
    std::ofstream(directory.path() / std::to_string(getpid())) << "here\n";
    // UCX unlinks what it makes as soon as it has it open.
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
      require(!target.starts_with("/dev/shm/ucx") || target.ends_with("(deleted)"), "{} has a name",
              target);
    }
    barrier(c);
    std::raise(SIGKILL);
  });
  std::set<std::string> processes;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    processes.insert(entry.path().filename().string());
  EXPECT_EQ(processes.size(), 3U);
  EXPECT_EQ(segments_of(processes), 0);
}

TEST(Processes, ThatDieWhileTheOthersShrink) {
  constexpr int ranks = 6;
  const auto ends = run_processes(ranks, 20s, [&](Communicator& c) {
    std::vector<double> data(10000);
    const auto work = [&] {
      for (int round = 0;; ++round) {
        if (c.rank() == 0 && round == 50) std::raise(SIGKILL);
        allreduce(c, data, data, Reduction::Kind::sum);
      }
    };
    require_error(work, ErrorCode::peer_failed, {"allreduce"});
    if (c.rank() == 3) std::raise(SIGKILL);
    const Communicator left = c.shrink();
    require(left.size() == ranks - 2, "{} are left", left.size());
    check_allreduce<double>(left, 5000, Reduction::Kind::sum, InPlace::no, 1);
  });
  for (const int survivor : {1, 2, 4, 5})
    EXPECT_EQ(ends[static_cast<std::size_t>(survivor)], all_is_well);
}

TEST(Processes, OneThatStopsRespondingRunsIntoTheDeadline) {
  constexpr int ranks = 3;
  const auto ends = run_processes(ranks, 1s, [](Communicator& c) {
    barrier(c);
    if (c.rank() == 1) {
      std::this_thread::sleep_for(4s);  // is there, but does not come
      return;
    }
    const auto work = [&] { barrier(c); };
    const Error error = error_of(work);
    require(error.code() == ErrorCode::timeout || error.code() == ErrorCode::peer_failed,
            "unexpected: {}", error.what());
  });
  for (const int end : ends) EXPECT_EQ(end, all_is_well);
}

}  // namespace dead_process_test
}  // namespace cuboid::detail
