#include "../two_groups.hpp"
#include "cases.hpp"

#include <numeric>

void inter_communicator() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  const TwoGroups groups(world_rank, size);
  const bool low = groups.low;
  const MPI_Comm inter = groups.inter;
  const int remote = groups.remote;
  std::vector<int> all(static_cast<std::size_t>(remote), -1);
  MPI_Allgather(&world_rank, 1, MPI_INT, all.data(), 1, MPI_INT, inter);
  for (int i = 0; i < remote; ++i) {
    if (all[static_cast<std::size_t>(i)] != (low ? size / 2 + i : i))
      differ("allgather between groups");
  }
  int sum = 0;
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  if (sum != std::accumulate(all.begin(), all.end(), 0)) differ("allreduce between groups");
  std::vector<double> values(3000, world_rank);
  MPI_Bcast(values.data(), 3000, MPI_DOUBLE, groups.root(world_rank), inter);
  if (!low && values[2999] != 0) differ("broadcast between groups");
  MPI_Barrier(inter);
}

void come_and_go() {
  for (int i = 0; i < 300; ++i) {
    MPI_Comm comm;
    if (i % 3 == 2) {
      MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &comm);
    } else {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int value = rank == size - 1 ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, size - 1, comm);
    if (value != i) differ("broadcast on a communicator that is soon gone");
    if (i % 2 == 0) {
      MPI_Request request;
      int sum = -1;
      MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (sum != size * (size - 1) / 2) differ("allreduce on a communicator that is soon gone");
    }
    MPI_Comm_free(&comm);
  }
}

void errors() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int values[4] = {1, 2, 3, 4};
  int more[4] = {};
  const auto same = [&](const char* what, int code, int native) {
    int its_class = 0;
    int class_native = 0;
    MPI_Error_class(code, &its_class);
    MPI_Error_class(native, &class_native);
    if (its_class != class_native)
      differ(std::string(what) + ": class " + std::to_string(its_class) + " for " +
             std::to_string(class_native));
  };
  same("a root that is none", MPI_Bcast(values, 4, MPI_INT, 99, comm),
       PMPI_Bcast(values, 4, MPI_INT, 99, comm));
  same("a negative count", MPI_Bcast(values, -1, MPI_INT, 0, comm),
       PMPI_Bcast(values, -1, MPI_INT, 0, comm));
  same("no datatype", MPI_Bcast(values, 4, MPI_DATATYPE_NULL, 0, comm),
       PMPI_Bcast(values, 4, MPI_DATATYPE_NULL, 0, comm));
  same("no operation", MPI_Allreduce(values, more, 4, MPI_INT, MPI_OP_NULL, comm),
       PMPI_Allreduce(values, more, 4, MPI_INT, MPI_OP_NULL, comm));
  same("an operation that is not defined",
       MPI_Allreduce(values, more, 2, MPI_DOUBLE, MPI_BAND, comm),
       PMPI_Allreduce(values, more, 2, MPI_DOUBLE, MPI_BAND, comm));
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}
