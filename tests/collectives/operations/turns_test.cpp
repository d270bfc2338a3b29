// Cuboid and MPI in turns: every operation of Cuboid's, each followed by one of MPI's, by ranks
// that run ahead of each other. None may wait for what another left behind when it went on to the
// other library. Where MPI lets it, Cuboid must also work while a rank waits in MPI.
//
// turns_test [TURNS [BYTES...]]

#include <cuboid/collectives.hpp>
#include <cuboid/mpi.hpp>
#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cuboid::detail {
namespace {

/// Whether a rank that waits in MPI serves others.
#ifdef OPEN_MPI
constexpr bool works_in_mpi = true;
#else
constexpr bool works_in_mpi = false;
#endif

/// What all ranks do at the same time. The salt is the number of the turn.
using Step = std::function<void(const Communicator& c, std::size_t bytes, unsigned salt)>;

int root_of(const Communicator& c, unsigned salt) {
  return static_cast<int>(salt) % c.size();
}

int next(const Communicator& c) {
  return (c.rank() + 1) % c.size();
}

int previous(const Communicator& c) {
  return (c.rank() + c.size() - 1) % c.size();
}

/// Of a buffer that has a block for each rank.
std::size_t block(const Communicator& c, std::size_t bytes) {
  return bytes / sizeof(double) / static_cast<std::size_t>(c.size());
}

/// From the root on through all ranks, none of which waits for its message to be received.
void pass_on(const Communicator& c, std::size_t bytes, unsigned salt) {
  const int root = root_of(c, salt);
  std::vector<std::byte> message = pattern<std::byte>(root, bytes, salt);
  if (c.size() == 1) return;
  if (c.rank() != root) {
    message.assign(bytes, {});
    receive(c, message, previous(c));
    require(message == pattern<std::byte>(root, bytes, salt), "a message is wrong");
  }
  if (next(c) != root) send(c, message, next(c));
}

void start_and_wait(const Communicator& c, std::size_t bytes, unsigned salt) {
  const int root = root_of(c, salt);
  std::vector<std::byte> one = pattern<std::byte>(c.rank(), bytes, salt);
  Request broadcasts = start_broadcast(c, one, root);
  Request exchanges =
      start_exchange(c, std::span<const std::byte>(), next(c), std::span<std::byte>(), previous(c));
  const bool waits_first = works_in_mpi && c.rank() != root;
  if (!waits_first) MPI_Barrier(MPI_COMM_WORLD);
  while (!exchanges.test()) continue;
  broadcasts.wait();
  if (waits_first) MPI_Barrier(MPI_COMM_WORLD);
  require(one == pattern<std::byte>(root, bytes, salt), "a started broadcast is wrong");
}

void run_a_plan(const Communicator& c, std::size_t bytes, unsigned salt) {
  const std::size_t count = bytes / sizeof(double);
  const auto mine = contribution<double>(c.rank(), count, salt);
  std::vector<double> sum(count);
  CollectivePlan plan = plan_allreduce(c, mine, sum, Reduction::Kind::sum);
  for (int run = 0; run < 2; ++run) {
    plan.run();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  require(sum == combined<double>(c.size(), count, salt, Reduction::Kind::sum), "a plan is wrong");
}

void put_and_get(const Communicator& c, std::size_t bytes, unsigned salt) {
  Window window(c, bytes);
  const auto mine = pattern<std::byte>(c.rank(), bytes, salt);
  const auto fence = [&] { works_in_mpi ? window.flush() : window.fence(); };
  window.put(mine, next(c), 0);
  fence();
  MPI_Barrier(MPI_COMM_WORLD);
  require(std::ranges::equal(window.local(), pattern<std::byte>(previous(c), bytes, salt)),
          "a put is wrong");
  std::vector<std::byte> back(bytes);
  window.get(back, next(c), 0);
  fence();
  MPI_Barrier(MPI_COMM_WORLD);
  require(back == mine, "a get is wrong");
}

const std::map<std::string, Step>& cuboids() {
  static const std::map<std::string, Step> steps = {
      {"broadcast",
       [](const Communicator& c, std::size_t bytes, unsigned salt) {
         check_broadcast<std::byte>(c, bytes, root_of(c, salt), salt);
       }},
      {"reduce",
       [](const Communicator& c, std::size_t bytes, unsigned salt) {
         check_reduce<double>(c, bytes / sizeof(double), root_of(c, salt), Reduction::Kind::sum,
                              InPlace::no, salt);
       }},
      {"allreduce",
       [](const Communicator& c, std::size_t bytes, unsigned salt) {
         check_allreduce<double>(c, bytes / sizeof(double), Reduction::Kind::sum, InPlace::no,
                                 salt);
       }},
      {"allgather",
       [](const Communicator& c, std::size_t bytes, unsigned salt) {
         check_allgather<double>(c, block(c, bytes), InPlace::no, salt);
       }},
      {"reduce_scatter",
       [](const Communicator& c, std::size_t bytes, unsigned salt) {
         check_reduce_scatter<double>(c, block(c, bytes), Reduction::Kind::sum, InPlace::no, salt);
       }},
      {"gather",
       [](const Communicator& c, std::size_t bytes, unsigned salt) {
         check_gather<double>(c, block(c, bytes), root_of(c, salt), InPlace::no, salt);
       }},
      {"scatter",
       [](const Communicator& c, std::size_t bytes, unsigned salt) {
         check_scatter<double>(c, block(c, bytes), root_of(c, salt), InPlace::no, salt);
       }},
      {"alltoall", [](const Communicator& c, std::size_t bytes,
                      unsigned salt) { check_alltoall<double>(c, block(c, bytes), salt); }},
      {"scan",
       [](const Communicator& c, std::size_t bytes, unsigned salt) {
         check_scan<double>(c, bytes / sizeof(double), Reduction::Kind::sum, InPlace::no, salt);
       }},
      {"barrier", [](const Communicator& c, std::size_t, unsigned) { barrier(c); }},
      {"messages", &pass_on},
      {"started", &start_and_wait},
      {"planned", &run_a_plan},
      {"window", &put_and_get}};
  return steps;
}

const std::vector<Step>& mpis() {
  static const std::vector<Step> steps = {
      [](const Communicator&, std::size_t, unsigned) { MPI_Barrier(MPI_COMM_WORLD); },
      [](const Communicator& c, std::size_t bytes, unsigned salt) {
        std::vector<std::byte> data(bytes);
        MPI_Bcast(data.data(), static_cast<int>(bytes), MPI_BYTE, root_of(c, salt), MPI_COMM_WORLD);
      },
      [](const Communicator&, std::size_t, unsigned) {
        int sum = 1;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      },
      [](const Communicator& c, std::size_t bytes, unsigned) {
        std::vector<std::byte> sent(bytes);
        std::vector<std::byte> received(bytes);
        MPI_Sendrecv(sent.data(), static_cast<int>(bytes), MPI_BYTE, next(c), 0, received.data(),
                     static_cast<int>(bytes), MPI_BYTE, previous(c), 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
      }};
  return steps;
}

void run(int turns, const std::vector<std::size_t>& lengths) {
  const Communicator world(mpi_bootstrap(MPI_COMM_WORLD));
  unsigned salt = 0;
  for (const std::size_t bytes : lengths) {
    for (const auto& [name, step] : cuboids()) {
      for (int turn = 0; turn < turns; ++turn) {
        try {
          step(world, bytes, ++salt);
        } catch (const std::exception& error) {
          throw std::runtime_error(
              fmt::format("{} of {} bytes, turn {}: {}", name, bytes, turn, error.what()));
        }
        mpis()[salt % mpis().size()](world, bytes, salt);
      }
    }
  }
}

}  // namespace
}  // namespace cuboid::detail

int main(int count, char** arguments) {
  const cuboid::MpiSession session;
  const int turns = count > 1 ? std::atoi(arguments[1]) : 8;
  std::vector<std::size_t> lengths;
  for (int argument = 2; argument < count; ++argument)
    lengths.push_back(std::strtoul(arguments[argument], nullptr, 10));
  if (lengths.empty()) lengths = {1 << 10, 64 << 10, 512 << 10};
  try {
    cuboid::detail::run(turns, lengths);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
