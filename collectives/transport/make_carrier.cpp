#include "collectives/transport/make_carrier.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/over_mpi.hpp"
#include "collectives/bootstrap/socket_buffers.hpp"
#include "collectives/mpi/mpi_carrier.hpp"
#ifdef CUBOID_HAS_UCX
#include "collectives/ucx/ucx_carrier.hpp"
#endif
#include "topology/machine/kernel_links.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail {

namespace {

std::unique_ptr<Carrier> make_ucx_carrier([[maybe_unused]] Bootstrap& bootstrap,
                                          [[maybe_unused]] const Introductions& ranks,
                                          [[maybe_unused]] const Environment& environment) {
#ifdef CUBOID_HAS_UCX
  return std::make_unique<UcxCarrier>(bootstrap, ranks, environment);
#else
  throw Error(ErrorCode::unsupported,
              "this Cuboid was built without UCX (CUBOID_UCX=OFF); there is: mpi");
#endif
}

constexpr bool has_ucx =
#ifdef CUBOID_HAS_UCX
    true;
#else
    false;
#endif

/// A helper thread calls MPI, never at the same time as the rank's own. If MPI was not initialised
/// for that, there is no helper thread.
void heed_thread_level(Environment& environment, const Logger& logger) {
  if (environment.progress != ProgressBy::thread) return;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) return;
  logger.warn(
      "CUBOID_PROGRESS=thread needs MPI_THREAD_SERIALIZED with CUBOID_TRANSPORT=mpi, and the "
      "program asked MPI for less: calls progress collectives instead");
  environment.progress = ProgressBy::calls;
}

/// Of a message to another node over MPI. Over slow links parts are as short as every MPI sends at
/// once; over fast ones an answer costs less than the many parts would.
std::size_t longest_part(const Introductions& ranks) {
  constexpr double slow = 1.25e9;
  constexpr std::size_t sent_at_once = 16 << 10;
  const double rate = fastest_rate(read_kernel_links().links, ranks.interfaces_to_others());
  return rate > 0 && rate <= slow ? sent_at_once : MpiMessage::longest_part;
}

std::unique_ptr<Carrier> make_mpi_carrier(const OverMpi& world, const Introductions& ranks,
                                          int rank, Environment& environment,
                                          const Logger& logger) {
  heed_thread_level(environment, logger);
  auto domain = world.may_end_early() ? MpiDomain::of(world.communicator())
                                      : MpiDomain::apart_from(world.communicator());
  return std::make_unique<MpiCarrier>(std::move(domain), ranks.ranks_of_node(rank),
                                      longest_part(ranks));
}

Error refusal(const char* choice, const std::string& reason) {
  return Error(ErrorCode::unsupported, fmt::format("CUBOID_TRANSPORT={}: {}", choice, reason));
}

}  // namespace

std::unique_ptr<Carrier> make_carrier(Bootstrap& bootstrap, const Introductions& ranks,
                                      Environment& environment, const Logger& logger) {
  const auto* const mpi = dynamic_cast<const OverMpi*>(&bootstrap);
  const auto over_mpi = [&] {
    return make_mpi_carrier(*mpi, ranks, bootstrap.rank(), environment, logger);
  };
  switch (environment.transport) {
    case TransportChoice::mpi:
      if (mpi != nullptr) return over_mpi();
      throw refusal("mpi", fmt::format("these ranks are not MPI's: start them with mpirun; there "
                                       "is: {}",
                                       has_ucx ? "ucx" : "nothing else"));
    case TransportChoice::ucx: try { return make_ucx_carrier(bootstrap, ranks, environment);
      } catch (const Error& error) {
        throw refusal("ucx", error.what());
      }
    case TransportChoice::automatic: break;
  }
  if (mpi == nullptr) {
    if (has_ucx) return make_ucx_carrier(bootstrap, ranks, environment);
    throw refusal("auto",
                  "this Cuboid was built without UCX (CUBOID_UCX=OFF), and these ranks are "
                  "not MPI's: start them with mpirun");
  }
  if (!has_ucx) return over_mpi();
  try {
    return make_ucx_carrier(bootstrap, ranks, environment);
  } catch (const Error& error) {
    if (bootstrap.rank() == 0) {
      logger.warn(
          fmt::format("{}; MPI carries all messages instead (CUBOID_TRANSPORT=mpi)", error.what()));
    }
    return over_mpi();
  }
}

}  // namespace cuboid::detail
