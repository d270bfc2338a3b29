#include <cuboid/bootstrap.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/mpi.hpp>

#include "bindings/c/exchange_bootstrap.hpp"
#include "bindings/c/handles.hpp"

#include <memory>

using namespace cuboid::detail::c;
using cuboid::Communicator;

extern "C" CUBOID_API int cuboid_communicator_from_mpi(MPI_Comm from,
                                                       cuboid_communicator* communicator) {
  return guarded(
      [&] { give(communicator, [&] { return Communicator(cuboid::mpi_bootstrap(from)); }); });
}

int cuboid_communicator_from_mpi_fortran(int from, cuboid_communicator* communicator) {
  return cuboid_communicator_from_mpi(MPI_Comm_f2c(from), communicator);
}

int cuboid_communicator_from_pmix(cuboid_communicator* communicator) {
  return guarded(
      [&] { give(communicator, [] { return Communicator(cuboid::pmix_bootstrap()); }); });
}

int cuboid_communicator_create(int rank, int size, cuboid_exchange_function exchange, void* context,
                               cuboid_communicator* communicator) {
  return guarded([&] {
    give(communicator, [&] {
      return Communicator(std::make_unique<ExchangeBootstrap>(rank, size, exchange, context));
    });
  });
}

int cuboid_run_ranks(int ranks, int (*body)(cuboid_communicator communicator, void* context),
                     void* context) {
  return guarded([&] {
    if (body == nullptr) refuse("cuboid_run_ranks: the function is NULL");
    cuboid::run_ranks(ranks, [&](Communicator& communicator) {
      cuboid_communicator_s handle{communicator};
      const int code = body(&handle, context);
      if (code != 0) {
        throw cuboid::Error(cuboid::ErrorCode::peer_failed,
                            "rank " + std::to_string(communicator.rank()) + ": its body returned " +
                                std::to_string(code));
      }
    });
  });
}

int cuboid_communicator_free(cuboid_communicator* communicator) {
  return free_handle(communicator);
}

int cuboid_communicator_rank(cuboid_communicator communicator, int* rank) {
  return guarded([&] { required(rank, "the pointer to a rank") = of(communicator).rank(); });
}

int cuboid_communicator_size(cuboid_communicator communicator, int* size) {
  return guarded([&] { required(size, "the pointer to a size") = of(communicator).size(); });
}

int cuboid_communicator_split(cuboid_communicator communicator, int colour, int key,
                              cuboid_communicator* part) {
  return guarded([&] { give(part, [&] { return of(communicator).split(colour, key); }); });
}

int cuboid_communicator_duplicate(cuboid_communicator communicator,
                                  cuboid_communicator* duplicate) {
  return guarded([&] { give(duplicate, [&] { return of(communicator).duplicate(); }); });
}

int cuboid_communicator_shrink(cuboid_communicator communicator, cuboid_communicator* survivors) {
  return guarded([&] { give(survivors, [&] { return of(communicator).shrink(); }); });
}

int cuboid_communicator_with_algorithms(cuboid_communicator communicator, const char* rules,
                                        cuboid_communicator* with_rules) {
  return guarded([&] {
    give(with_rules,
         [&] { return of(communicator).with_algorithms(rules == nullptr ? "" : rules); });
  });
}

int cuboid_on_stream(cuboid_communicator communicator, void* stream,
                     cuboid_communicator* on_stream) {
  return guarded([&] {
    give(on_stream, [&] { return of(communicator); });
    (*on_stream)->stream = cuboid::on(stream);
  });
}

int cuboid_communicator_revoke(cuboid_communicator communicator, const char* reason) {
  return guarded([&] { of(communicator).revoke(reason == nullptr ? "" : reason); });
}

int cuboid_communicator_progress(cuboid_communicator communicator) {
  return guarded([&] { static_cast<void>(of(communicator).progress()); });
}

int cuboid_communicator_traffic(cuboid_communicator communicator, int peer,
                                struct cuboid_traffic* traffic) {
  return guarded([&] {
    const cuboid::Traffic found =
        peer == -1 ? of(communicator).traffic() : of(communicator).traffic(peer);
    required(traffic, "the pointer to traffic") = {found.bytes_sent, found.bytes_received,
                                                   found.messages_sent, found.messages_received};
  });
}
