// Collectives between processes started by mpirun, over each transport. The program initialises MPI
// once. With UCX, MPI is there to bootstrap only, and is finalised while Cuboid's communicators are
// still in use; with MPI they say that it was.

#include <cuboid/collectives.hpp>
#include <cuboid/mpi.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>

namespace cuboid::detail {
namespace {

bool mpi_is(int (*question)(int*)) {
  int answer = 0;
  question(&answer);
  return answer != 0;
}

void check_collectives(const Communicator& c) {
  unsigned salt = 0;
  for (const InPlace in_place : {InPlace::no, InPlace::yes}) {
    for (const std::size_t count : {0, 1, 1000, 100003}) {
      const int root = static_cast<int>(++salt) % c.size();
      check_broadcast<double>(c, count, root, salt);
      check_reduce<double>(c, count, root, Reduction::Kind::sum, in_place, salt);
      check_allreduce<double>(c, count, Reduction::Kind::sum, in_place, salt);
      check_allgather<float>(c, count, in_place, salt);
      check_reduce_scatter<float>(c, count, Reduction::Kind::sum, in_place, salt);
      check_gather<int>(c, count, root, in_place, salt);
      check_scatter<int>(c, count, root, in_place, salt);
      check_alltoall<int>(c, count, salt);
      check_alltoallv<int>(c, count, 3, salt);
    }
  }
  check_allreduce<RankRange>(c, 1000, Reduction::user(combine_all<RankRange>, Commutative::no),
                             InPlace::no, 0);
}

/// One rank after the other runs ahead of all others, further than they have room for.
void check_many_short(const Communicator& c) {
  for (int root = 0; root < c.size(); ++root) {
    for (int call = 0; call < 1000; ++call) {
      std::array<int, 3> message{};
      if (c.rank() == root) message = {root, call, 7};
      broadcast(c, message, root);
      require(message == std::array{root, call, 7}, "short broadcast {} is wrong", call);
    }
  }
}

/// One expects a message that would have come another way.
void check_disagreement(const Communicator& c, std::size_t sent, std::size_t expected) {
  const Communicator pair = c.split(c.rank() < 2 ? 0 : -1, c.rank());
  if (c.rank() == 0) {
    std::vector<std::byte> message(sent);
    try {
      broadcast(pair, message, 0);
    } catch (const Error& error) {
      // It may hear of it, or have left before.
      require(error.code() != ErrorCode::timeout, "nobody took {} bytes: {}", sent, error.what());
    }
  } else if (c.rank() == 1) {
    std::vector<std::byte> message(expected);
    ErrorCode code = ErrorCode::internal;
    try {
      broadcast(pair, message, 0);
    } catch (const Error& error) {
      code = error.code();
    }
    require(code == ErrorCode::mismatch, "{} bytes were taken for {}", sent, expected);
  }
}

Environment hurried() {
  Environment environment;
  environment.timeout = std::chrono::seconds(1);
  return environment;
}

/// The error of a function that must throw one.
template <class Function>
Error error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error;
  }
  throw Error(ErrorCode::internal, "no error where one must be");
}

void require_missing(const Error& error, int rank, int size) {
  const std::string message = error.what();
  require(error.code() == ErrorCode::timeout, "it is no timeout: {}", message);
  require(message.find("CUBOID_TIMEOUT") != std::string::npos, "no remedy in '{}'", message);
  require(message.find(fmt::format("rank {} of {} did not come", rank, size)) != std::string::npos,
          "the missing rank is not named in '{}'", message);
}

/// All but the last rank give up waiting for it, and say that it was the one.
void check_bootstrap_deadline(int rank, int size) {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  if (rank < size - 1)
    require_missing(error_of([&] { mpi_bootstrap(all, hurried()); }), size - 1, size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (size == 1) return;
  // Or for another one in an exchange after that: for rank 0 by way of others.
  const int missing = size > 2 ? 0 : 1;
  MPI_Comm another = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &another);
  const auto bootstrap = mpi_bootstrap(another, hurried());
  const std::vector<std::byte> mine(10000);  // more than MPI sends at once
  require(bootstrap->allgather(mine).size() == static_cast<std::size_t>(size), "it has not met");
  if (rank != missing)
    require_missing(error_of([&] { bootstrap->allgather(mine); }), missing, size);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// A rank that an exception takes away tells the others at once.
void check_that_leaving_is_told(int rank, int size) {
  if (size == 1) return;
  for (int leaver = 0; leaver < size; ++leaver) {
    try {
      const auto bootstrap = mpi_bootstrap(MPI_COMM_WORLD);
      if (rank == leaver) throw std::runtime_error("a mistake before the exchange");
      const Error error = error_of([&] { bootstrap->allgather({}); });
      require(error.code() == ErrorCode::peer_failed &&
                  std::string(error.what()).find(fmt::format("rank {} gave up", leaver)) !=
                      std::string::npos,
              "the rank that left is not named in '{}'", error.what());
    } catch (const std::runtime_error& left) {
      require(rank == leaver, "{}", left.what());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// What the program waits for on its communicator is the program's.
void check_pending_receives(int rank, int size) {
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  int got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, mine, &request);
  const Communicator world(mpi_bootstrap(mine));
  barrier(world);
  const int sent = 1000 + rank;
  MPI_Send(&sent, 1, MPI_INT, (rank + 1) % size, 3, mine);
  MPI_Status status{};
  MPI_Wait(&request, &status);
  const int previous = (rank + size - 1) % size;
  require(status.MPI_TAG == 3 && status.MPI_SOURCE == previous && got == 1000 + previous,
          "the program's receive got something else");
}

void check_what_is_refused(int rank, int size) {
  const auto refused = [](MPI_Comm communicator, const char* what) {
    const Error error = error_of([&] { mpi_bootstrap(communicator); });
    require(error.code() == ErrorCode::invalid_argument &&
                std::string(error.what()).find(what) != std::string::npos,
            "{} is refused with '{}'", what, error.what());
  };
  refused(MPI_COMM_NULL, "MPI_COMM_NULL");
  if (size == 1) return;
  const bool low = rank < size / 2;
  MPI_Comm group = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 5, &both);
  refused(both, "intercommunicator");
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
}

void check_all(const Communicator& world, const Communicator& half) {
  check_collectives(world);
  check_collectives(world.split(world.rank() / 2, world.rank()));
  check_collectives(half);
  check_window(world);
  check_messages(world);
  check_messages(half);
  check_many_short(world);
  check_many_short(half);
  check_disagreement(world, 8, 1000);
  check_disagreement(world, 1000, 8);
  check_disagreement(world, 8, 16);
  check_disagreement(world, 100000, 200000);
  for (int peer = 0; peer < world.size(); ++peer)
    require(world.same_node(peer), "mpirun put rank {} on another node", peer);
}

/// What is there after the program has taken MPI away.
void check_that_mpi_is_missed(const Communicator& world) {
  std::array<std::byte, 1> never_sent{};
  const Error error =
      error_of([&] { receive(world, never_sent, (world.rank() + 1) % world.size()); });
  require(error.code() == ErrorCode::peer_failed, "MPI is finalised, and nobody said so");
}

void run(bool over_mpi) {
  require(MpiSession::launched(), "mpirun was not noticed");
  std::optional<Communicator> world;
  std::optional<Communicator> half;
  {
    const MpiSession session;
    require(mpi_is(MPI_Initialized), "MPI is not initialised");
    {
      const MpiSession second;  // must leave MPI alone
    }
    require(!mpi_is(MPI_Finalized), "MPI was finalised by the wrong one");

    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_what_is_refused(rank, size);
    check_bootstrap_deadline(rank, size);
    check_that_leaving_is_told(rank, size);
    check_pending_receives(rank, size);
    world.emplace(mpi_bootstrap(MPI_COMM_WORLD));
    require(world->rank() == rank && world->size() == size, "not MPI's ranks");

    MPI_Comm backwards = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &backwards);
    half.emplace(mpi_bootstrap(backwards));
    int half_rank = 0;
    MPI_Comm_rank(backwards, &half_rank);
    require(half->rank() == half_rank, "not the ranks of the MPI communicator");
    const Communicator another(mpi_bootstrap(MPI_COMM_WORLD));  // beside the first
    if (!over_mpi) MPI_Comm_free(&backwards);
    check_collectives(*half);
    check_collectives(another);
    if (over_mpi) {
      check_all(*world, *half);
      half.reset();
      MPI_Comm_free(&backwards);
    }
  }
  require(mpi_is(MPI_Finalized), "MPI was not finalised by its owner");
  require(error_of([] { mpi_bootstrap(MPI_COMM_WORLD); }).code() == ErrorCode::invalid_argument,
          "a bootstrap after MPI's end");
  if (!over_mpi) {
    check_all(*world, *half);
  } else if (world->size() > 1) {
    check_that_mpi_is_missed(*world);
  }
}

}  // namespace
}  // namespace cuboid::detail

int main() {
  const bool over_mpi = cuboid::Environment::read().transport == cuboid::TransportChoice::mpi;
  try {
    cuboid::detail::run(over_mpi);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
