#include "collectives/transport/make_carrier.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/over_mpi.hpp"
#include "collectives/bootstrap/socket_buffers.hpp"
#include "collectives/mpi/mpi_carrier.hpp"
#ifdef CUBOID_HAS_UCX
#include "collectives/ucx/ucx_carrier.hpp"
#include "collectives/ucx/ucx_setup.hpp"
#endif
#include "topology/machine/kernel_links.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail {

namespace {

/// Returns nullptr on all ranks if one rank cannot use UCX; `refusal` then says why. Errors of the
/// bootstrap are thrown, because they say nothing about UCX.
std::unique_ptr<Carrier> make_ucx_carrier([[maybe_unused]] Bootstrap& bootstrap,
                                          [[maybe_unused]] const PeerInformation& ranks,
                                          [[maybe_unused]] const Environment& environment,
                                          std::string& refusal) {
#ifdef CUBOID_HAS_UCX
  UcxStart start = start_ucx(bootstrap, ranks, environment);
  refusal = start.refusal;
  if (!refusal.empty()) return nullptr;
  return std::make_unique<UcxCarrier>(bootstrap.rank(), ranks, std::move(start));
#else
  refusal = "this Cuboid was built without UCX (CUBOID_UCX=OFF)";
  return nullptr;
#endif
}

constexpr bool has_ucx =
#ifdef CUBOID_HAS_UCX
    true;
#else
    false;
#endif

/// A helper thread calls MPI, though never at the same time as the rank's own thread. If MPI was
/// not initialised for that, there is no helper thread.
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

/// The length of the parts of a message to another node over MPI. Over slow links parts are so
/// short that every MPI sends them at once. Over fast links the receiver's answer costs less than
/// many short parts would.
std::size_t longest_part(const PeerInformation& ranks) {
  constexpr double slow = 1.25e9;
  constexpr std::size_t sent_at_once = 16 << 10;
  const double rate = fastest_rate(read_kernel_links().links, ranks.interfaces_to_others());
  return rate > 0 && rate <= slow ? sent_at_once : MpiMessage::longest_part;
}

std::unique_ptr<Carrier> make_mpi_carrier(const OverMpi& world, const PeerInformation& ranks,
                                          int rank, Environment& environment,
                                          const Logger& logger) {
  heed_thread_level(environment, logger);
  return std::make_unique<MpiCarrier>(world.domain(), ranks.ranks_of_node(rank),
                                      longest_part(ranks));
}

Error refusal(const char* choice, const std::string& reason) {
  return Error(ErrorCode::unsupported, fmt::format("CUBOID_TRANSPORT={}: {}", choice, reason));
}

}  // namespace

std::unique_ptr<Carrier> make_carrier(Bootstrap& bootstrap, const PeerInformation& ranks,
                                      Environment& environment, const Logger& logger) {
  const auto* const mpi = dynamic_cast<const OverMpi*>(&bootstrap);
  if (environment.transport == TransportChoice::mpi && mpi == nullptr) {
    throw refusal("mpi",
                  fmt::format("these ranks are not MPI's: start them with mpirun and make their "
                              "communicator of MPI's; there is: {}",
                              has_ucx ? "ucx" : "nothing else"));
  }
  if (environment.transport != TransportChoice::mpi) {
    std::string reason;
    if (auto carrier = make_ucx_carrier(bootstrap, ranks, environment, reason)) return carrier;
    if (environment.transport == TransportChoice::ucx)
      throw refusal("ucx", reason + (has_ucx ? "" : "; there is: mpi"));
    if (mpi == nullptr) {
      if (has_ucx) throw Error(ErrorCode::unsupported, reason);
      throw refusal("auto", reason +
                                ", and these ranks are not MPI's: start them with mpirun and make "
                                "their communicator of MPI's");
    }
    if (has_ucx && bootstrap.rank() == 0) {
      logger.warn(
          fmt::format("{}; MPI carries all messages instead (CUBOID_TRANSPORT=mpi)", reason));
    }
  }
  return make_mpi_carrier(*mpi, ranks, bootstrap.rank(), environment, logger);
}

}  // namespace cuboid::detail
