// A process that dies in the middle of collectives: every survivor must end with an error that
// names it, within the deadline. The processes are forked here, since an MPI launcher would end
// the survivors itself; they find each other through files, by a bootstrap of their own.

#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Every rank leaves its blob in a file of a directory that all of them see.
class DirectoryBootstrap : public Bootstrap {
 public:
  DirectoryBootstrap(std::filesystem::path directory, int rank, int size)
      : directory_(std::move(directory)), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override {
    const int round = round_++;
    const auto being_written = directory_ / fmt::format("{}.{}.part", round, rank_);
    std::ofstream(being_written, std::ios::binary)
        .write(reinterpret_cast<const char*>(mine.data()), std::ssize(mine));
    std::filesystem::rename(being_written, file_of(round, rank_));

    std::vector<std::vector<std::byte>> blobs;
    for (int peer = 0; peer < size_; ++peer) blobs.push_back(read(file_of(round, peer)));
    return blobs;
  }

 private:
  std::filesystem::path file_of(int round, int rank) const {
    return directory_ / fmt::format("{}.{}", round, rank);
  }
  static std::vector<std::byte> read(const std::filesystem::path& path) {
    const auto patience = Clock::now() + 30s;
    while (!std::filesystem::exists(path)) {
      if (Clock::now() > patience) throw Error(ErrorCode::timeout, "a rank did not come");
      std::this_thread::sleep_for(1ms);
    }
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
  }

  std::filesystem::path directory_;
  int rank_;
  int size_;
  int round_ = 0;
};

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "cuboid-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Wrong("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

constexpr int all_is_well = 0;

// Runs `body` as `ranks` processes, `before` before they meet, and returns how each ended, as
// waitpid() says.
std::vector<int> run_processes(
    int ranks, std::chrono::duration<double> timeout,
    const std::function<void(Communicator&)>& body,
    const std::function<void(int)>& before = [](int) {}) {
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
    int status = 0;
    const pid_t child = wait(&status);
    const auto rank = std::ranges::find(children, child) - children.begin();
    ends.at(static_cast<std::size_t>(rank)) = status;
  }
  return ends;
}

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
  for (int rank = 0; rank < ranks; ++rank) {
    const int end = ends[static_cast<std::size_t>(rank)];
    if (rank == victim) {
      EXPECT_TRUE(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL);
    } else {
      EXPECT_EQ(end, all_is_well) << "rank " << rank;
    }
  }
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
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == victim) continue;
    EXPECT_EQ(ends[static_cast<std::size_t>(rank)], all_is_well) << "rank " << rank;
  }
}

class ReadDeadProcess : public testing::TestWithParam<const char*> {};

TEST_P(ReadDeadProcess, IsNamedByWhoReadsItsMemory) {
  const bool one_get = GetParam() == std::string_view("wait");
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
INSTANTIATE_TEST_SUITE_P(Processes, ReadDeadProcess, testing::Values("flush", "wait"),
                         [](const auto& info) { return std::string(info.param); });

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

}  // namespace
}  // namespace cuboid::detail
