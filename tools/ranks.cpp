#include <cuboid/base/error.hpp>
#include <cuboid/collectives/transport/mpi_bootstrap.hpp>
#include <cuboid/collectives/transport/run_ranks.hpp>
#include <cuboid/tools/ranks.hpp>
#include <cuboid/topology/node.hpp>

#include <algorithm>
#include <exception>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::tools {

namespace {

int launched_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int default_size(int threads_per_rank) {
  return std::max(1, read_node().binding.usable_cores / threads_per_rank);
}

}  // namespace

Ranks::Ranks(std::optional<int> wanted, int threads_per_rank)
    : launched_(MpiSession::launched()), size_(0) {
  if (wanted && *wanted < 1) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--ranks {}: give at least 1", *wanted));
  }
  if (launched_) {
    size_ = launched_size();
  } else {
    size_ = wanted ? *wanted : default_size(threads_per_rank);
  }
  if (launched_ && wanted && *wanted != size_) {
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
  const Communicator communicator(mpi_bootstrap(MPI_COMM_WORLD), environment);
  try {
    body(communicator);
  } catch (const std::exception& error) {
    communicator.abort(error.what());
    throw;
  }
}

}  // namespace cuboid::tools
