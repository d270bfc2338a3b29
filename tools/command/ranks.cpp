#include "tools/command/ranks.hpp"

#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>
#include <cuboid/node.hpp>
#include <cuboid/run_ranks.hpp>

#include <algorithm>
#include <exception>

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

void Ranks::run(const Environment& environment,
                const std::function<void(const Communicator&)>& body) const {
  if (!launched_) {
    run_ranks(size_, body, environment);
    return;
  }
  const Communicator communicator(mpi_bootstrap(MPI_COMM_WORLD, environment), environment);
  try {
    body(communicator);
  } catch (const std::exception& error) {
    communicator.revoke(error.what());
    throw;
  }
}

}  // namespace cuboid::detail::tools
