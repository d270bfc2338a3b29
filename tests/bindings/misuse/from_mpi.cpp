// The rows of misuse.txt of communicators from MPI, in C++. Usage, under mpirun on two ranks:
// bindings_from_mpi_cpp OPERATION MISUSE...: prints a line "OPERATION MISUSE OUTCOME" for each
// pair.

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace cuboid {
namespace {

/// Makes a communicator and uses it.
std::string use(MPI_Comm from) {
  try {
    const Communicator made(mpi_bootstrap(from));
    std::vector<double> data(1000);
    allreduce(made, data, data, Reduction::Kind::sum);
    return "success";
  } catch (const Error& error) {
    return error.code() == ErrorCode::invalid_argument ? "invalid_argument" : error.what();
  }
}

/// A receive of any message that the program has pending gets none of Cuboid's.
std::string beside_a_receive(int rank) {
  int came = 0;
  int received = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  const std::string outcome = use(MPI_COMM_WORLD);
  MPI_Test(&request, &came, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);  // else the other rank's message may be there already
  if (came != 0) return "a message of Cuboid's was received";
  MPI_Send(&rank, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return received == 1 - rank ? outcome : "another message was received";
}

std::string between_groups(int rank) {
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 7, &between);
  const std::string outcome = use(between);
  MPI_Comm_free(&between);
  return outcome;
}

std::string outcome_of(std::string_view misuse, int rank) {
  if (misuse == "nothing") return use(MPI_COMM_WORLD);
  if (misuse == "null_communicator") return use(MPI_COMM_NULL);
  if (misuse == "two_groups") return between_groups(rank);
  if (misuse == "pending_receive") return beside_a_receive(rank);
  return "unknown";
}

}  // namespace
}  // namespace cuboid

int main(int count, char** arguments) {
  const cuboid::MpiSession session;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int at = 1; at + 1 < count; at += 2) {
    std::printf("%s %s %s\n", arguments[at], arguments[at + 1],
                cuboid::outcome_of(arguments[at + 1], rank).c_str());
  }
  std::fflush(stdout);
  return 0;
}
