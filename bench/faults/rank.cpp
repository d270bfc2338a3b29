// Ranks of a trial of bench/faults: they repeat an operation until an error ends them.
//   bench_fault_rank FOLDER OPERATION process RANK RANKS        ranks meet through FOLDER; one that
//                                                               gets SIGUSR1 throws an exception
//   bench_fault_rank FOLDER OPERATION mpi                       ranks meet through MPI
//   bench_fault_rank FOLDER start-up mpi                        ranks meet, and end
//   bench_fault_rank FOLDER OPERATION threads RANKS VICTIM leave|stall SECONDS
// Each rank writes its process's id to FOLDER/ready.RANK when it has started the operation, and its
// error to FOLDER/error.RANK. A process that an error ended exits with 3.

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include "bench/faults/operations.hpp"
#include "mm/files/interrupted_files.hpp"
#include "tests/collectives/bootstrap/directory_bootstrap.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

namespace {

using namespace cuboid;

constexpr int ended_by_error = 3;

/// Writes a file and renames it into place, so that readers see only complete files.
void leave(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path part = file.string() + ".part";
  std::ofstream(part) << text << "\n";
  std::filesystem::rename(part, file);
}

/// The survivors of a failed all-reduce continue on a communicator of their own.
void go_on(const Communicator& world) {
  const Communicator survivors = world.shrink();
  std::vector<double> data(1000, 1);
  for (int call = 0; call < 3; ++call) {
    std::fill(data.begin(), data.end(), 1.0);
    allreduce(survivors, data, data, Reduction::Kind::sum);
    if (data.front() != survivors.size()) throw Error(ErrorCode::internal, "a wrong sum");
  }
}

/// Repeats the operation until an error occurs; writes the error to the folder and rethrows it.
void work(
    const Communicator& world, const std::filesystem::path& folder, const std::string& operation,
    const std::function<void()>& before_each = [] {}) {
  const std::string rank = std::to_string(world.rank());
  try {
    const bench::Round round = bench::fault_operations().at(operation)(world, folder);
    leave(folder / ("ready." + rank), std::to_string(getpid()));
    for (;;) {
      before_each();
      round();
    }
  } catch (const Error& error) {
    std::string said = error.what();
    try {
      operation == "shrink" ? go_on(world) : world.revoke(said);
    } catch (const Error& another) {
      said += std::string("\nand shrink() failed: ") + another.what();
    }
    leave(folder / ("error." + rank), said);
    throw;
  }
}

int run_threads(const std::filesystem::path& folder, const std::string& operation,
                std::span<char*> arguments) {
  const int ranks = std::atoi(arguments[0]), victim = std::atoi(arguments[1]);
  const bool stalls = arguments[2] == std::string("stall");
  const std::chrono::duration<double> after(std::atof(arguments[3]));
  std::atomic<int> ended = 0;
  const auto wait_for_all_to_end = [&] {
    while (ended < ranks - 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  run_ranks(ranks, [&](Communicator& world) {
    const auto begin = std::chrono::steady_clock::now();
    const auto fail = [&] {
      if (world.rank() != victim || std::chrono::steady_clock::now() - begin < after) return;
      if (!stalls) throw std::runtime_error("this rank leaves the trial");
      wait_for_all_to_end();
      throw std::runtime_error("this rank has stalled");
    };
    try {
      work(world, folder, operation, fail);
    } catch (const Error&) {
      ++ended;
      // A rank that an exception ends is one more failure for those who still go on.
      if (operation == "shrink") wait_for_all_to_end();
      throw;
    }
  });
  return 0;
}

/// Ranks meet, and end. One that fails says so, and waits until all others have: mpirun ends all
/// ranks when one has ended.
int start_up(const std::filesystem::path& folder) {
  std::optional<Communicator> world;  // outlives the error: others hear of it
  try {
    world.emplace(mpi_bootstrap(MPI_COMM_WORLD));
    MPI_Pcontrol(0);  // for steps.c: the start-up has ended
    barrier(*world);
    return 0;
  } catch (const Error& error) {
    if (world) world->revoke(error.what());
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    leave(folder / ("error." + std::to_string(rank)), error.what());
    const auto said = [&] {
      int files = 0;
      for (int peer = 0; peer < size; ++peer)
        files += std::filesystem::exists(folder / ("error." + std::to_string(peer))) ? 1 : 0;
      return files;
    };
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (said() < size - 1 && std::chrono::steady_clock::now() < until) {
      if (world) world->progress();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    std::_Exit(ended_by_error);
  }
}

/// All ranks write their errors before one ends: MPI_Finalize would wait for the victim, and mpirun
/// ends all ranks, by SIGTERM, when one has ended. They remove the file under way, as the command's
/// do.
int run_under_mpi(const std::filesystem::path& folder, const std::string& operation) {
  const MpiSession session;
  std::signal(SIGTERM, [](int) {
    detail::remove_interrupted_files();
    _exit(ended_by_error);
  });
  if (operation == "start-up") return start_up(folder);
  try {
    const Communicator world(mpi_bootstrap(MPI_COMM_WORLD));
    work(world, folder, operation);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::this_thread::sleep_for(std::chrono::seconds(3));
    std::_Exit(ended_by_error);
  }
  return 0;
}

volatile std::sig_atomic_t told_to_throw = 0;

int run_process(const std::filesystem::path& folder, const std::string& operation, int rank,
                int ranks) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // ends this process with its parent
  std::signal(SIGUSR1, [](int) { told_to_throw = 1; });
  const Communicator world(std::make_unique<detail::DirectoryBootstrap>(folder, rank, ranks));
  work(world, folder, operation, [] {
    if (told_to_throw != 0) throw std::runtime_error("this rank leaves the trial");
  });
  return 0;
}

int run(const std::filesystem::path& folder, const std::string& operation, const std::string& how,
        std::span<char*> rest) {
  if (how == "threads" && rest.size() == 4) return run_threads(folder, operation, rest);
  if (how == "mpi" && rest.empty()) return run_under_mpi(folder, operation);
  if (how == "process" && rest.size() == 2)
    return run_process(folder, operation, std::atoi(rest[0]), std::atoi(rest[1]));
  throw Error(ErrorCode::invalid_argument, "usage: at the head of bench/faults/rank.cpp");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return 2;
  try {
    return run(arguments[1], arguments[2], arguments[3],
               {arguments + 4, static_cast<std::size_t>(count - 4)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return ended_by_error;
  }
}
