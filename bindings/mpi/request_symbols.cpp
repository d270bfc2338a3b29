#include "bindings/mpi/persistent_requests.hpp"

#include <mpi.h>

#define CUBOID_EXPORT extern "C" __attribute__((visibility("default")))

namespace drop_in = cuboid::detail::drop_in;

CUBOID_EXPORT int MPI_Start(MPI_Request* request) {
  return drop_in::start_request(request);
}

CUBOID_EXPORT int MPI_Startall(int count, MPI_Request* requests) {
  return drop_in::start_requests(count, requests);
}

CUBOID_EXPORT int MPI_Request_free(MPI_Request* request) {
  return drop_in::free_request(request);
}

// The addresses of these functions themselves, even if another library defines functions of the
// same names.
extern "C" {
__attribute__((visibility("hidden"), alias("MPI_Start"))) decltype(MPI_Start) cuboid_start;
__attribute__((visibility("hidden"), alias("MPI_Startall"))) decltype(MPI_Startall) cuboid_startall;
__attribute__((visibility("hidden"),
               alias("MPI_Request_free"))) decltype(MPI_Request_free) cuboid_request_free;
}

bool drop_in::starts_requests() {
  return &MPI_Start == &cuboid_start && &MPI_Startall == &cuboid_startall &&
         &MPI_Request_free == &cuboid_request_free;
}
