// One rank of a trial of bench/faults: repeats an operation until an error ends it.
//   bench_fault_rank FOLDER RANK RANKS OPERATION
// Ranks meet through FOLDER and leave a file "ready.RANK" there once they work. Prints the error
// and exits with 3.

#include <cuboid/allreduce.hpp>
#include <cuboid/alltoall.hpp>
#include <cuboid/broadcast.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/window.hpp>

#include "tests/collectives/bootstrap/directory_bootstrap.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/prctl.h>

namespace {

using namespace cuboid;

constexpr std::size_t elements = 20000;

void allreduces(const Communicator& c) {
  std::vector<double> data(elements, 1);
  for (;;) allreduce(c, data, data, Reduction::Kind::maximum);
}

void broadcasts(const Communicator& c) {
  std::vector<double> data(elements);
  for (int root = 0;; root = (root + 1) % c.size()) broadcast(c, data, root);
}

void alltoalls(const Communicator& c) {
  const auto ranks = static_cast<std::size_t>(c.size());
  std::vector<double> from(elements / 10 * ranks), to(from.size());
  for (;;) alltoall(c, from, to);
}

/// Half of the ranks each, numbered the other way round, and then all together.
void groups(const Communicator& c) {
  const Communicator half = c.split(c.rank() % 2, -c.rank());
  std::vector<double> data(elements, 1);
  for (;;) {
    for (int call = 0; call < 10; ++call) allreduce(half, data, data, Reduction::Kind::maximum);
    allreduce(c, data, data, Reduction::Kind::maximum);
  }
}

void windows(const Communicator& c) {
  constexpr std::size_t bytes = 200000;
  Window window(c, bytes * static_cast<std::size_t>(c.size()));
  std::vector<std::vector<std::byte>> mine(static_cast<std::size_t>(c.size()),
                                           std::vector<std::byte>(bytes));
  const std::size_t place = bytes * static_cast<std::size_t>(c.rank());
  for (int round = 0;; ++round) {
    for (int peer = 0; peer < c.size(); ++peer) {
      auto& buffer = mine[static_cast<std::size_t>(peer)];
      (round + peer) % 2 == 0 ? static_cast<void>(window.get(buffer, peer, place))
                              : window.put(buffer, peer, place);
    }
    window.flush();
    // Shared memory is there without its owner: only a fence needs the others.
    if (round % 10 == 0) window.fence();
  }
}

const std::map<std::string, std::function<void(const Communicator&)>> operations = {
    {"allreduce", allreduces}, {"broadcast", broadcasts}, {"alltoall", alltoalls},
    {"groups", groups},        {"windows", windows},
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: bench_fault_rank FOLDER RANK RANKS OPERATION\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody else would end it
  const std::filesystem::path folder = arguments[1];
  const int rank = std::atoi(arguments[2]);
  constexpr int ended_by_error = 3;
  try {
    const Communicator world(std::make_unique<cuboid::detail::DirectoryBootstrap>(
        folder, rank, std::atoi(arguments[3])));
    std::ofstream(folder / ("ready." + std::to_string(rank))) << "ready\n";
    try {
      operations.at(arguments[4])(world);
    } catch (const Error& error) {
      world.revoke(error.what());
      throw;
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return ended_by_error;
  }
  return 0;
}
