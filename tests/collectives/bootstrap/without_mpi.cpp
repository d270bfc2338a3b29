// Ranks that a launcher with PMIx started, in a program without MPI: collectives, windows and
// messages, and what ranks are told of others that come late, give up, or do not come at all.
// Usage, under mpirun or srun: without_mpi [absent RANK|killed]. The rank never comes (mpirun ends
// the others when it leaves), or the last rank is killed when all have met.

#include <cuboid/bootstrap.hpp>
#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>

#include "collectives/bootstrap/pmix_client.hpp"
#include "tests/collectives/operations/calls.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

namespace cuboid::detail {
namespace {

constexpr std::chrono::seconds a_minute{60};

Environment within(std::chrono::seconds timeout) {
  Environment environment;
  environment.timeout = timeout;
  return environment;
}

void check_collectives(const Communicator& c) {
  unsigned salt = 0;
  for (const std::size_t count : {0, 1, 1000, 100003}) {
    const int root = static_cast<int>(++salt) % c.size();
    check_broadcast<double>(c, count, root, salt);
    check_allreduce<double>(c, count, Reduction::Kind::sum, InPlace::no, salt);
    check_allgather<float>(c, count, InPlace::yes, salt);
    check_alltoall<int>(c, count, salt);
  }
}

/// The exchange of a bootstrap in which a rank fails.
Error error_of_exchange(Bootstrap& bootstrap) {
  try {
    bootstrap.allgather({});
  } catch (const Error& error) {
    return error;
  }
  throw Error(ErrorCode::internal, "no error where one must be");
}

void require_named(const Error& error, ErrorCode code, const std::string& name) {
  const std::string message = error.what();
  require(error.code() == code && message.find(name) != std::string::npos, "'{}' lacks '{}'",
          message, name);
}

/// Messages of different lengths, one of which is long.
void check_exchange(Bootstrap& bootstrap) {
  const auto letter_of = [](int rank) {
    return pattern<std::byte>(rank, rank == 0 ? 300000 : static_cast<std::size_t>(rank) - 1, 2);
  };
  const auto letters = bootstrap.allgather(letter_of(bootstrap.rank()));
  require(letters.size() == static_cast<std::size_t>(bootstrap.size()), "not all letters");
  for (int rank = 0; rank < bootstrap.size(); ++rank)
    require(letters[static_cast<std::size_t>(rank)] == letter_of(rank), "letter {}", rank);
}

/// The last rank comes when the others have given up. They say that it was missing.
void check_late_rank() {
  const auto bootstrap = pmix_bootstrap(within(std::chrono::seconds(1)));
  const int last = bootstrap->size() - 1;
  if (last == 0) return;
  PmixClient& client = PmixClient::of_this_process();
  if (bootstrap->rank() == last) {
    const auto gave_up = client.published_by_others("test.gave_up", a_minute);
    require(std::count(gave_up.begin(), gave_up.end(), std::nullopt) == 1, "some did not give up");
    bootstrap->allgather({});  // what the others said is still there
  } else {
    const Error error = error_of_exchange(*bootstrap);
    require_named(error, ErrorCode::timeout,
                  fmt::format("rank {} of {} did not come within 1 s", last, last + 1));
    require_named(error, ErrorCode::timeout, "CUBOID_TIMEOUT");
    client.publish("test.gave_up", {});
  }
}

/// A rank that an exception takes away tells the others at once.
void check_that_leaving_is_told() {
  const auto first = pmix_bootstrap();
  check_exchange(*first);
  const int size = first->size();
  for (int leaver = 0; leaver < std::min(size, 3) && size > 1; ++leaver) {
    const int rank = first->rank();
    try {
      const auto bootstrap = pmix_bootstrap();
      check_exchange(*bootstrap);
      if (rank == leaver) throw std::runtime_error("a mistake before the next exchange");
      require_named(error_of_exchange(*bootstrap), ErrorCode::peer_failed,
                    fmt::format("rank {} gave up", leaver));
    } catch (const std::runtime_error& left) {
      require(rank == leaver, "{}", left.what());
    }
  }
}

/// Ranks that PMIx brings together cannot communicate over MPI, whichever launcher started them.
void check_that_mpi_is_refused() {
  Environment environment = Environment::read();
  environment.transport = TransportChoice::mpi;
  try {
    const Communicator refused(pmix_bootstrap(environment), environment);
  } catch (const Error& error) {
    return require_named(error, ErrorCode::unsupported, "CUBOID_TRANSPORT=mpi");
  }
  throw Error(ErrorCode::internal, "MPI's transport without MPI");
}

void run() {
  check_that_leaving_is_told();
  check_that_mpi_is_refused();
  const Communicator world(pmix_bootstrap());
  const Communicator another(pmix_bootstrap());  // beside the first
  for (const Communicator& c : {world, another, world.split(world.rank() / 2, world.rank())}) {
    check_collectives(c);
    check_window(c);
    check_messages(c);
  }
  check_late_rank();
  barrier(Communicator(pmix_bootstrap()));
}

bool is_last() {
  const auto bootstrap = pmix_bootstrap();
  return bootstrap->rank() == bootstrap->size() - 1;
}

/// The absent rank is no client of PMIx: only the launcher's variable tells its number.
void run_without(std::string_view absent) {
  if (std::getenv("PMIX_RANK") == absent) return std::this_thread::sleep_for(a_minute / 3);
  const auto bootstrap = pmix_bootstrap(within(std::chrono::seconds(5)));
  require_named(error_of_exchange(*bootstrap), ErrorCode::timeout,
                fmt::format("rank {} of {} did not come", absent, bootstrap->size()));
}

/// The launcher ends the others, or they hear of it from UCX.
void run_until_killed() {
  const Communicator world(pmix_bootstrap());
  if (is_last()) kill(getpid(), SIGKILL);
  for (;;) barrier(world);
}

}  // namespace
}  // namespace cuboid::detail

int main(int count, char** arguments) {
  using namespace cuboid::detail;
  const std::string_view how = count > 1 ? arguments[1] : "";
  try {
    if (how == "killed") {
      run_until_killed();
    } else if (how == "absent") {
      run_without(arguments[2]);
    } else {
      run();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
