#pragma once

#include "bindings/dropin/called.hpp"
#include "bindings/mpi/arguments.hpp"
#include "bindings/mpi/job.hpp"
#include "bindings/mpi/types.hpp"

#include <vector>

namespace cuboid::detail::drop_in {

// Each collective is described once for all its forms, with MPI's arguments. `serve_it` receives
// the collective, the length, a check of the arguments, and a function that makes the job.

template <class Serve>
int with_barrier(MPI_Comm, Serve serve_it) {
  return serve_it(
      Called::barrier, 0, [](const CallingRank&) { return true; },
      [](const CallingRank&) { return barrier_job(); });
}

template <class Serve>
int with_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm, Serve serve_it) {
  return serve_it(
      Called::bcast, root < 0 ? 0 : bytes_of(count, type),
      [=](const CallingRank& here) {
        return is_rank(root, here) && valid(count, type) && !in_place(buffer);
      },
      [=](const CallingRank& here) {
        return bcast_job(here, {buffer, count, type}, root);
      });
}

template <class Serve>
int with_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm, Serve serve_it) {
  return serve_it(
      Called::reduce, root < 0 ? 0 : bytes_of(count, type),
      [=](const CallingRank& here) {
        const bool is_root = here.rank == root;
        return is_rank(root, here) && valid(count, type) && (is_root || !in_place(send)) &&
               !(is_root && (in_place(receive) || (send == receive && count > 0))) &&
               reducible(op, type, here);
      },
      [=](const CallingRank& here) {
        return reduce_job(here, send, receive, count, type, op, root);
      });
}

/// MPI_Allreduce, MPI_Scan or MPI_Exscan.
template <class Serve>
int with_combining(Called called, Combining form, const void* send, void* receive, int count,
                   MPI_Datatype type, MPI_Op op, Serve serve_it) {
  return serve_it(
      called, bytes_of(count, type),
      [=](const CallingRank& here) {
        return valid(count, type) && !in_place(receive) && reducible(op, type, here);
      },
      [=](const CallingRank& here) {
        return combining_job(here, form, send, receive, count, type, op);
      });
}

template <class Serve>
int with_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm, Serve serve_it) {
  return with_combining(Called::allreduce, Combining::all, send, receive, count, type, op,
                        serve_it);
}

template <class Serve>
int with_scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm,
              Serve serve_it) {
  return with_combining(Called::scan, Combining::up_to_own, send, receive, count, type, op,
                        serve_it);
}

template <class Serve>
int with_exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm,
                Serve serve_it) {
  return with_combining(Called::exscan, Combining::before, send, receive, count, type, op,
                        serve_it);
}

template <class Serve>
int with_reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, Serve serve_it) {
  return serve_it(
      Called::reduce_scatter, bytes_of_all(counts, type, comm),
      [=](const CallingRank& here) {
        return valid(counts, type, here) && !in_place(receive) && reducible(op, type, here);
      },
      [=](const CallingRank& here) {
        return reduce_scatter_job(here, send, receive, all_of(counts, here), type, op);
      });
}

template <class Serve>
int with_reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, Serve serve_it) {
  return serve_it(
      Called::reduce_scatter_block, times_ranks(bytes_of(count, type), comm),
      [=](const CallingRank& here) {
        return valid(count, type) && !in_place(receive) && reducible(op, type, here);
      },
      [=](const CallingRank& here) {
        const std::vector<int> counts(static_cast<std::size_t>(here.size), count);
        return reduce_scatter_job(here, send, receive, counts, type, op);
      });
}

template <class Serve>
int with_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int receive_count, MPI_Datatype receive_type, MPI_Comm comm, Serve serve_it) {
  return serve_it(
      Called::allgather, times_ranks(bytes_of(receive_count, receive_type), comm),
      [=](const CallingRank&) {
        return valid(receive_count, receive_type) && !in_place(receive) &&
               (in_place(send) || valid(send_count, send_type));
      },
      [=](const CallingRank& here) {
        const EqualBlocks blocks(receive_count, here);
        return allgather_job(here, {writable(send), send_count, send_type},
                             blocks.of(receive, receive_type));
      });
}

template <class Serve>
int with_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int* counts, const int* displacements, MPI_Datatype receive_type,
                    MPI_Comm comm, Serve serve_it) {
  return serve_it(
      Called::allgatherv, bytes_of_all(counts, receive_type, comm),
      [=](const CallingRank& here) {
        return valid(counts, receive_type, here) && displacements != nullptr &&
               !in_place(receive) && (in_place(send) || valid(send_count, send_type));
      },
      [=](const CallingRank& here) {
        return allgather_job(
            here, {writable(send), send_count, send_type},
            {receive, all_of(counts, here), all_of(displacements, here), receive_type});
      });
}

template <class Serve>
int with_gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                Serve serve_it) {
  return serve_it(
      Called::gather,
      bytes_of_rooted(root, comm, send_count, send_type, receive_count, receive_type),
      [=](const CallingRank& here) {
        if (!is_rank(root, here)) return false;
        if (here.rank != root) return !in_place(send) && valid(send_count, send_type);
        return valid(receive_count, receive_type) && !in_place(receive) &&
               (in_place(send) || valid(send_count, send_type));
      },
      [=](const CallingRank& here) {
        const EqualBlocks blocks(here.rank == root ? receive_count : 0, here);
        return gather_job(here, {writable(send), send_count, send_type},
                          blocks.of(receive, receive_type), root);
      });
}

template <class Serve>
int with_gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
                 MPI_Comm comm, Serve serve_it) {
  return serve_it(
      Called::gatherv, own_bytes_of_rooted(root, comm, send_count, send_type, counts, receive_type),
      [=](const CallingRank& here) {
        if (!is_rank(root, here)) return false;
        if (here.rank != root) return !in_place(send) && valid(send_count, send_type);
        return valid(counts, receive_type, here) && displacements != nullptr &&
               !in_place(receive) && (in_place(send) || valid(send_count, send_type));
      },
      [=](const CallingRank& here) {
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
                 Serve serve_it) {
  return serve_it(
      Called::scatter,
      bytes_of_rooted(root, comm, receive_count, receive_type, send_count, send_type),
      [=](const CallingRank& here) {
        if (!is_rank(root, here)) return false;
        if (here.rank != root) return !in_place(receive) && valid(receive_count, receive_type);
        return valid(send_count, send_type) && !in_place(send) &&
               (in_place(receive) || valid(receive_count, receive_type));
      },
      [=](const CallingRank& here) {
        const EqualBlocks blocks(here.rank == root ? send_count : 0, here);
        return scatter_job(here, blocks.of(send, send_type), {receive, receive_count, receive_type},
                           root);
      });
}

template <class Serve>
int with_scatterv(const void* send, const int* counts, const int* displacements,
                  MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, int root, MPI_Comm comm, Serve serve_it) {
  return serve_it(
      Called::scatterv,
      own_bytes_of_rooted(root, comm, receive_count, receive_type, counts, send_type),
      [=](const CallingRank& here) {
        if (!is_rank(root, here)) return false;
        if (here.rank != root) return !in_place(receive) && valid(receive_count, receive_type);
        return valid(counts, send_type, here) && displacements != nullptr && !in_place(send) &&
               (in_place(receive) || valid(receive_count, receive_type));
      },
      [=](const CallingRank& here) {
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
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm, Serve serve_it) {
  return serve_it(
      Called::alltoall, times_ranks(bytes_of(receive_count, receive_type), comm),
      [=](const CallingRank&) {
        return valid(receive_count, receive_type) && !in_place(receive) &&
               (in_place(send) || valid(send_count, send_type));
      },
      [=](const CallingRank& here) {
        const EqualBlocks sent(in_place(send) ? 0 : send_count, here);
        const EqualBlocks received(receive_count, here);
        return alltoall_job(here, sent.of(send, send_type), received.of(receive, receive_type),
                            true);
      });
}

template <class Serve>
int with_alltoallv(const void* send, const int* send_counts, const int* send_displacements,
                   MPI_Datatype send_type, void* receive, const int* receive_counts,
                   const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm,
                   Serve serve_it) {
  return serve_it(
      Called::alltoallv,
      own_bytes_of_alltoall(in_place(send) ? nullptr : send_counts, send_type, receive_counts,
                            receive_type, comm),
      [=](const CallingRank& here) {
        return valid(receive_counts, receive_type, here) && receive_displacements != nullptr &&
               !in_place(receive) &&
               (in_place(send) ||
                (valid(send_counts, send_type, here) && send_displacements != nullptr));
      },
      [=](const CallingRank& here) {
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

}  // namespace cuboid::detail::drop_in
