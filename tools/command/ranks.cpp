#include "tools/command/ranks.hpp"

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>
#include <cuboid/node.hpp>

#include "tools/command/memory.hpp"
#include "tools/provenance/provenance.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail::tools {

namespace {

int mpi_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int mpi_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

}  // namespace

bool is_first_process() {
  return !MpiSession::launched() || mpi_rank() == 0;
}

int ranks_for_usable_cores(int threads_per_rank) {
  return std::max(1, read_node().binding.usable_cores / threads_per_rank);
}

int sensible_threads(int wanted, const Environment& environment, bool speak) {
  constexpr int slip_of_a_finger =
      64;  // more than this many times the usable cores is a typing error
  const int usable = read_node().binding.usable_cores;
  if (wanted <= usable) return wanted;
  const std::string cores = fmt::format("--threads {}: a rank may use {} core{} here", wanted,
                                        usable, usable == 1 ? "" : "s");
  if (wanted / slip_of_a_finger > usable)
    throw Error(ErrorCode::invalid_argument, fmt::format("{}: give at most {}", cores, usable));
  if (speak) {
    Logger(environment.log_level, 0)
        .warn(fmt::format("{}: {} thread{} used", cores, usable, usable == 1 ? " is" : "s are"));
  }
  return usable;
}

Ranks::Ranks(std::optional<int> wanted, int otherwise)
    : launched_(MpiSession::launched()), size_(wanted.value_or(otherwise)) {
  if (size_ < 1) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--ranks {}: give at least 1", size_));
  }
  if (!launched_) return;
  size_ = mpi_size();
  speak_ = mpi_rank() == 0;
  if (wanted && *wanted != size_) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--ranks {}: the launcher has started {} ranks: leave --ranks out, or "
                            "start {} of them",
                            *wanted, size_, *wanted));
  }
}

void Ranks::require_room() const {
  if (launched_) return;
  constexpr std::uint64_t bytes_per_rank = std::uint64_t{4}
                                           << 20;  // stack, UCX's worker, mailboxes
  const auto available = available_memory();
  if (!available || static_cast<std::uint64_t>(size_) <= *available / bytes_per_rank) return;
  const int cores = ranks_for_usable_cores(1);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--ranks {}: the memory suffices for about {} ranks as threads, which "
                          "would share {} core{}: give fewer",
                          size_, *available / bytes_per_rank, cores, cores == 1 ? "" : "s"));
}

void Ranks::run(const Environment& environment,
                const std::function<void(const Communicator&)>& body) const {
  const auto noted_body = [&](const Communicator& world) {
    if (world.rank() == 0) note_ranks(world);
    body(world);
  };
  if (!launched_) {
    require_room();
    run_ranks(size_, noted_body, environment);
    return;
  }
  const Communicator communicator(mpi_bootstrap(MPI_COMM_WORLD, environment), environment);
  try {
    noted_body(communicator);
  } catch (const std::exception& error) {
    communicator.revoke(error.what());
    throw;
  }
}

}  // namespace cuboid::detail::tools
