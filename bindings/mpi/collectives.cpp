#include "bindings/mpi/collectives.hpp"

#include "bindings/mpi/elements.hpp"
#include "bindings/mpi/serve.hpp"
#include "bindings/mpi/types.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace cuboid::detail::drop_in {

namespace {

void* writable(const void* data) {
  return const_cast<void*>(data);
}

int size_of(MPI_Comm comm) {
  int size = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &size);
  return size;
}

int rank_in(MPI_Comm comm) {
  int rank = MPI_PROC_NULL;
  if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// In an intercommunicator other arguments are significant than ours look at.
bool is_inter(MPI_Comm comm) {
  int inter = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

std::size_t times_ranks(std::size_t block_bytes, MPI_Comm comm) {
  return block_bytes == 0 ? 0 : block_bytes * static_cast<std::size_t>(size_of(comm));
}

std::size_t bytes_of_all(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  if (counts == nullptr || type == MPI_DATATYPE_NULL || is_inter(comm)) return 0;
  const std::size_t one = bytes_of(1, type);
  const int ranks = size_of(comm);
  std::size_t elements = 0;
  for (int rank = 0; rank < ranks; ++rank)
    elements += static_cast<std::size_t>(std::max(counts[rank], 0));
  return elements * one;
}

/// Of a block of a gather or scatter, which both sides know by other arguments: the root's own are
/// those of the side with all blocks.
std::size_t bytes_of_rooted(int root, MPI_Comm comm, int own_count, MPI_Datatype own_type,
                            int root_count, MPI_Datatype root_type) {
  if (is_inter(comm)) return 0;
  const bool is_root = rank_in(comm) == root;
  return times_ranks(is_root ? bytes_of(root_count, root_type) : bytes_of(own_count, own_type),
                     comm);
}

bool is_rank(int root, const Place& here) {
  return root >= 0 && root < here.size;
}

bool valid(int count, MPI_Datatype type) {
  return count >= 0 && type != MPI_DATATYPE_NULL;
}

bool valid(const int* counts, MPI_Datatype type, const Place& here) {
  return counts != nullptr && type != MPI_DATATYPE_NULL &&
         std::all_of(counts, counts + here.size, [](int count) { return count >= 0; });
}

/// MPI_IN_PLACE stands for a side only where MPI has it so.
bool in_place(const void* buffer) {
  return buffer == MPI_IN_PLACE;
}

/// While a request is pending the program may free its operation, which cannot be kept.
bool reducible(MPI_Op op, MPI_Datatype type, const Place& here) {
  if (here.life == Blocks::Life::request && is_user_operation(op)) return false;
  return elements_for(op, type).has_value();
}

std::span<const int> all_of(const int* counts, const Place& here) {
  return {counts, static_cast<std::size_t>(here.size)};
}

/// Equal blocks, as lists.
class Equal {
 public:
  Equal(int count, const Place& here) : counts_(static_cast<std::size_t>(here.size), count) {}
  MessageBlocks of(const void* buffer, MPI_Datatype type) const {
    return {writable(buffer), counts_, {}, type};
  }

 private:
  std::vector<int> counts_;
};

// Each collective is told once, for its blocking and its non-blocking form, as a function of how
// the call is served: what it is, how long, whether valid, and the job.

template <class Serve>
int with_barrier(const Serve& serve_it) {
  return serve_it(
      Called::barrier, 0, [](const Place&) { return true; },
      [](const Place&) { return barrier_job(); });
}

template <class Serve>
int with_bcast(void* buffer, int count, MPI_Datatype type, int root, const Serve& serve_it) {
  return serve_it(
      Called::bcast, root < 0 ? 0 : bytes_of(count, type),
      [=](const Place& here) {
        return is_rank(root, here) && valid(count, type) && !in_place(buffer);
      },
      [=](const Place& here) {
        return bcast_job(here, {buffer, count, type}, root);
      });
}

template <class Serve>
int with_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                const Serve& serve_it) {
  return serve_it(
      Called::reduce, root < 0 ? 0 : bytes_of(count, type),
      [=](const Place& here) {
        const bool is_root = here.rank == root;
        return is_rank(root, here) && valid(count, type) && (is_root || !in_place(send)) &&
               !(is_root && (in_place(receive) || (send == receive && count > 0))) &&
               reducible(op, type, here);
      },
      [=](const Place& here) { return reduce_job(here, send, receive, count, type, op, root); });
}

template <class Serve>
int with_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   const Serve& serve_it) {
  return serve_it(
      Called::allreduce, bytes_of(count, type),
      [=](const Place& here) {
        return valid(count, type) && !in_place(receive) && reducible(op, type, here);
      },
      [=](const Place& here) { return allreduce_job(here, send, receive, count, type, op); });
}

template <class Serve>
int with_reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, const Serve& serve_it) {
  return serve_it(
      Called::reduce_scatter, bytes_of_all(counts, type, comm),
      [=](const Place& here) {
        return valid(counts, type, here) && !in_place(receive) && reducible(op, type, here);
      },
      [=](const Place& here) {
        return reduce_scatter_job(here, send, receive, all_of(counts, here), type, op);
      });
}

template <class Serve>
int with_reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, const Serve& serve_it) {
  return serve_it(
      Called::reduce_scatter_block, times_ranks(bytes_of(count, type), comm),
      [=](const Place& here) {
        return valid(count, type) && !in_place(receive) && reducible(op, type, here);
      },
      [=](const Place& here) {
        const std::vector<int> counts(static_cast<std::size_t>(here.size), count);
        return reduce_scatter_job(here, send, receive, counts, type, op);
      });
}

template <class Serve>
int with_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                   const Serve& serve_it) {
  return serve_it(
      Called::allgather, times_ranks(bytes_of(receive_count, receive_type), comm),
      [=](const Place&) {
        return valid(receive_count, receive_type) && !in_place(receive) &&
               (in_place(send) || valid(send_count, send_type));
      },
      [=](const Place& here) {
        const Equal blocks(receive_count, here);
        return allgather_job(here, {writable(send), send_count, send_type},
                             blocks.of(receive, receive_type));
      });
}

template <class Serve>
int with_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int* counts, const int* displacements, MPI_Datatype receive_type,
                    MPI_Comm comm, const Serve& serve_it) {
  return serve_it(
      Called::allgatherv, bytes_of_all(counts, receive_type, comm),
      [=](const Place& here) {
        return valid(counts, receive_type, here) && displacements != nullptr &&
               !in_place(receive) && (in_place(send) || valid(send_count, send_type));
      },
      [=](const Place& here) {
        return allgather_job(
            here, {writable(send), send_count, send_type},
            {receive, all_of(counts, here), all_of(displacements, here), receive_type});
      });
}

template <class Serve>
int with_gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                const Serve& serve_it) {
  return serve_it(
      Called::gather,
      bytes_of_rooted(root, comm, send_count, send_type, receive_count, receive_type),
      [=](const Place& here) {
        if (!is_rank(root, here)) return false;
        if (here.rank != root) return !in_place(send) && valid(send_count, send_type);
        return valid(receive_count, receive_type) && !in_place(receive) &&
               (in_place(send) || valid(send_count, send_type));
      },
      [=](const Place& here) {
        const Equal blocks(here.rank == root ? receive_count : 0, here);
        return gather_job(here, {writable(send), send_count, send_type},
                          blocks.of(receive, receive_type), root);
      });
}

template <class Serve>
int with_gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
                 const Serve& serve_it) {
  return serve_it(
      Called::gatherv, 0,
      [=](const Place& here) {
        if (!is_rank(root, here)) return false;
        if (here.rank != root) return !in_place(send) && valid(send_count, send_type);
        return valid(counts, receive_type, here) && displacements != nullptr &&
               !in_place(receive) && (in_place(send) || valid(send_count, send_type));
      },
      [=](const Place& here) {
        MessageBlocks all{receive, {}, {}, receive_type};
        if (here.rank == root) {
          all.counts = all_of(counts, here);
          all.displacements = all_of(displacements, here);
        }
        return gather_job(here, {writable(send), send_count, send_type}, all, root);
      });
}

template <class Serve>
int with_scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                 const Serve& serve_it) {
  return serve_it(
      Called::scatter,
      bytes_of_rooted(root, comm, receive_count, receive_type, send_count, send_type),
      [=](const Place& here) {
        if (!is_rank(root, here)) return false;
        if (here.rank != root) return !in_place(receive) && valid(receive_count, receive_type);
        return valid(send_count, send_type) && !in_place(send) &&
               (in_place(receive) || valid(receive_count, receive_type));
      },
      [=](const Place& here) {
        const Equal blocks(here.rank == root ? send_count : 0, here);
        return scatter_job(here, blocks.of(send, send_type), {receive, receive_count, receive_type},
                           root);
      });
}

template <class Serve>
int with_scatterv(const void* send, const int* counts, const int* displacements,
                  MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, int root, const Serve& serve_it) {
  return serve_it(
      Called::scatterv, 0,
      [=](const Place& here) {
        if (!is_rank(root, here)) return false;
        if (here.rank != root) return !in_place(receive) && valid(receive_count, receive_type);
        return valid(counts, send_type, here) && displacements != nullptr && !in_place(send) &&
               (in_place(receive) || valid(receive_count, receive_type));
      },
      [=](const Place& here) {
        MessageBlocks all{writable(send), {}, {}, send_type};
        if (here.rank == root) {
          all.counts = all_of(counts, here);
          all.displacements = all_of(displacements, here);
        }
        return scatter_job(here, all, {receive, receive_count, receive_type}, root);
      });
}

template <class Serve>
int with_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                  const Serve& serve_it) {
  return serve_it(
      Called::alltoall, times_ranks(bytes_of(receive_count, receive_type), comm),
      [=](const Place&) {
        return valid(receive_count, receive_type) && !in_place(receive) &&
               (in_place(send) || valid(send_count, send_type));
      },
      [=](const Place& here) {
        const Equal sent(in_place(send) ? 0 : send_count, here);
        const Equal received(receive_count, here);
        return alltoall_job(here, sent.of(send, send_type), received.of(receive, receive_type),
                            true);
      });
}

template <class Serve>
int with_alltoallv(const void* send, const int* send_counts, const int* send_displacements,
                   MPI_Datatype send_type, void* receive, const int* receive_counts,
                   const int* receive_displacements, MPI_Datatype receive_type,
                   const Serve& serve_it) {
  return serve_it(
      Called::alltoallv, 0,
      [=](const Place& here) {
        return valid(receive_counts, receive_type, here) && receive_displacements != nullptr &&
               !in_place(receive) &&
               (in_place(send) ||
                (valid(send_counts, send_type, here) && send_displacements != nullptr));
      },
      [=](const Place& here) {
        MessageBlocks sent{writable(send), {}, {}, send_type};
        if (!in_place(send)) {
          sent.counts = all_of(send_counts, here);
          sent.displacements = all_of(send_displacements, here);
        }
        return alltoall_job(here, sent,
                            {receive, all_of(receive_counts, here),
                             all_of(receive_displacements, here), receive_type},
                            false);
      });
}

/// Serves as a blocking call, or else calls `beneath`.
template <class Beneath>
auto blocking(MPI_Comm comm, const Beneath& beneath) {
  return [comm, &beneath](Called called, std::size_t bytes, const auto& valid_here,
                          const auto& make_job) {
    return serve(called, bytes, comm, valid_here, make_job, beneath);
  };
}

/// The same of a non-blocking one.
template <class Beneath>
auto non_blocking(MPI_Comm comm, MPI_Request* request, const Beneath& beneath) {
  return [comm, request, &beneath](Called called, std::size_t bytes, const auto& valid_here,
                                   const auto& make_job) {
    return serve(called, bytes, comm, request, valid_here, make_job, beneath);
  };
}

}  // namespace

int barrier(MPI_Comm comm) {
  return with_barrier(blocking(comm, [&] { return PMPI_Barrier(comm); }));
}
int bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return with_bcast(buffer, count, type, root,
                    blocking(comm, [&] { return PMPI_Bcast(buffer, count, type, root, comm); }));
}

int reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  return with_reduce(send, receive, count, type, op, root, blocking(comm, [&] {
                       return PMPI_Reduce(send, receive, count, type, op, root, comm);
                     }));
}

int allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  return with_allreduce(send, receive, count, type, op, blocking(comm, [&] {
                          return PMPI_Allreduce(send, receive, count, type, op, comm);
                        }));
}

int reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  return with_reduce_scatter(send, receive, counts, type, op, comm, blocking(comm, [&] {
                               return PMPI_Reduce_scatter(send, receive, counts, type, op, comm);
                             }));
}

int reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
  return with_reduce_scatter_block(send, receive, count, type, op, comm, blocking(comm, [&] {
                                     return PMPI_Reduce_scatter_block(send, receive, count, type,
                                                                      op, comm);
                                   }));
}

int allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
              int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return with_allgather(send, send_count, send_type, receive, receive_count, receive_type, comm,
                        blocking(comm, [&] {
                          return PMPI_Allgather(send, send_count, send_type, receive, receive_count,
                                                receive_type, comm);
                        }));
}

int allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
               const int* counts, const int* displacements, MPI_Datatype receive_type,
               MPI_Comm comm) {
  return with_allgatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                         comm, blocking(comm, [&] {
                           return PMPI_Allgatherv(send, send_count, send_type, receive, counts,
                                                  displacements, receive_type, comm);
                         }));
}

int gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
           int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return with_gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                     blocking(comm, [&] {
                       return PMPI_Gather(send, send_count, send_type, receive, receive_count,
                                          receive_type, root, comm);
                     }));
}

int gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
            MPI_Comm comm) {
  return with_gatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                      root, blocking(comm, [&] {
                        return PMPI_Gatherv(send, send_count, send_type, receive, counts,
                                            displacements, receive_type, root, comm);
                      }));
}

int scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return with_scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                      blocking(comm, [&] {
                        return PMPI_Scatter(send, send_count, send_type, receive, receive_count,
                                            receive_type, root, comm);
                      }));
}

int scatterv(const void* send, const int* counts, const int* displacements, MPI_Datatype send_type,
             void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return with_scatterv(send, counts, displacements, send_type, receive, receive_count, receive_type,
                       root, blocking(comm, [&] {
                         return PMPI_Scatterv(send, counts, displacements, send_type, receive,
                                              receive_count, receive_type, root, comm);
                       }));
}

int alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return with_alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm,
                       blocking(comm, [&] {
                         return PMPI_Alltoall(send, send_count, send_type, receive, receive_count,
                                              receive_type, comm);
                       }));
}

int alltoallv(const void* send, const int* send_counts, const int* send_displacements,
              MPI_Datatype send_type, void* receive, const int* receive_counts,
              const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm) {
  return with_alltoallv(send, send_counts, send_displacements, send_type, receive, receive_counts,
                        receive_displacements, receive_type, blocking(comm, [&] {
                          return PMPI_Alltoallv(send, send_counts, send_displacements, send_type,
                                                receive, receive_counts, receive_displacements,
                                                receive_type, comm);
                        }));
}

int ibarrier(MPI_Comm comm, MPI_Request* request) {
  return with_barrier(non_blocking(comm, request, [&] { return PMPI_Ibarrier(comm, request); }));
}

int ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request* request) {
  return with_bcast(buffer, count, type, root, non_blocking(comm, request, [&] {
                      return PMPI_Ibcast(buffer, count, type, root, comm, request);
                    }));
}

int ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Request* request) {
  return with_reduce(send, receive, count, type, op, root, non_blocking(comm, request, [&] {
                       return PMPI_Ireduce(send, receive, count, type, op, root, comm, request);
                     }));
}

int iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) {
  return with_allreduce(send, receive, count, type, op, non_blocking(comm, request, [&] {
                          return PMPI_Iallreduce(send, receive, count, type, op, comm, request);
                        }));
}

int ireduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return with_reduce_scatter(
      send, receive, counts, type, op, comm, non_blocking(comm, request, [&] {
        return PMPI_Ireduce_scatter(send, receive, counts, type, op, comm, request);
      }));
}

int ireduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request) {
  return with_reduce_scatter_block(
      send, receive, count, type, op, comm, non_blocking(comm, request, [&] {
        return PMPI_Ireduce_scatter_block(send, receive, count, type, op, comm, request);
      }));
}

int iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
               int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  return with_allgather(send, send_count, send_type, receive, receive_count, receive_type, comm,
                        non_blocking(comm, request, [&] {
                          return PMPI_Iallgather(send, send_count, send_type, receive,
                                                 receive_count, receive_type, comm, request);
                        }));
}

int iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                const int* counts, const int* displacements, MPI_Datatype receive_type,
                MPI_Comm comm, MPI_Request* request) {
  return with_allgatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                         comm, non_blocking(comm, request, [&] {
                           return PMPI_Iallgatherv(send, send_count, send_type, receive, counts,
                                                   displacements, receive_type, comm, request);
                         }));
}

int igather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
            MPI_Request* request) {
  return with_gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                     non_blocking(comm, request, [&] {
                       return PMPI_Igather(send, send_count, send_type, receive, receive_count,
                                           receive_type, root, comm, request);
                     }));
}

int igatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
             MPI_Comm comm, MPI_Request* request) {
  return with_gatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                      root, non_blocking(comm, request, [&] {
                        return PMPI_Igatherv(send, send_count, send_type, receive, counts,
                                             displacements, receive_type, root, comm, request);
                      }));
}

int iscatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
             MPI_Request* request) {
  return with_scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                      non_blocking(comm, request, [&] {
                        return PMPI_Iscatter(send, send_count, send_type, receive, receive_count,
                                             receive_type, root, comm, request);
                      }));
}

int iscatterv(const void* send, const int* counts, const int* displacements, MPI_Datatype send_type,
              void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
              MPI_Request* request) {
  return with_scatterv(send, counts, displacements, send_type, receive, receive_count, receive_type,
                       root, non_blocking(comm, request, [&] {
                         return PMPI_Iscatterv(send, counts, displacements, send_type, receive,
                                               receive_count, receive_type, root, comm, request);
                       }));
}

int ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
              int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  return with_alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm,
                       non_blocking(comm, request, [&] {
                         return PMPI_Ialltoall(send, send_count, send_type, receive, receive_count,
                                               receive_type, comm, request);
                       }));
}

int ialltoallv(const void* send, const int* send_counts, const int* send_displacements,
               MPI_Datatype send_type, void* receive, const int* receive_counts,
               const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm,
               MPI_Request* request) {
  return with_alltoallv(send, send_counts, send_displacements, send_type, receive, receive_counts,
                        receive_displacements, receive_type, non_blocking(comm, request, [&] {
                          return PMPI_Ialltoallv(send, send_counts, send_displacements, send_type,
                                                 receive, receive_counts, receive_displacements,
                                                 receive_type, comm, request);
                        }));
}

}  // namespace cuboid::detail::drop_in
