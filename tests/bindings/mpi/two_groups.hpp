#pragma once

#include <mpi.h>

/// The lower half of the world's ranks and the others, and the intercommunicator between them,
/// which is freed with it. Needs two ranks.
struct TwoGroups {
  TwoGroups(int rank, int ranks) : low(rank < ranks / 2) {
    MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? ranks / 2 : 0, 4, &inter);
    MPI_Comm_remote_size(inter, &remote);
  }
  ~TwoGroups() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  TwoGroups(const TwoGroups&) = delete;
  TwoGroups& operator=(const TwoGroups&) = delete;

  /// The root's argument of a rooted call whose root is rank 0 of the world.
  int root(int rank) const { return !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL; }

  bool low;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  int remote = 0;  ///< ranks of the other group
};
