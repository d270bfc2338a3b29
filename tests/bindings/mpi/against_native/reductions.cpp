#include "cases.hpp"

#include <cstring>
#include <numeric>

void reductions(const Group& g, const Type& t, const Operation& o, int count, Form form,
                unsigned seed) {
  const std::string where = " by " + o.name + " of " + std::to_string(count) + " " + t.name +
                            " on " + g.name + text_of(form);
  const int root = static_cast<int>(seed) % g.size;
  const int all = count * g.size;
  const auto counts = uneven(g.size, count);
  const int sum = std::accumulate(counts.begin(), counts.end(), 0);
  MPI_Comm comm = g.comm;
  MPI_Datatype type = t.type;
  MPI_Op op = o.op;
  Memory send(type, all, seed, 2);
  Memory many(type, sum, seed, 2);

  compare("reduce" + where, Memory(type, count, seed + 1, 2), [&](void* buffer, bool native) {
    return CALL(Reduce, reduce, send.at(), buffer, count, type, op, root, comm);
  });
  compare("reduce in place" + where, Memory(type, count, seed, 2), [&](void* buffer, bool native) {
    return CALL(Reduce, reduce, g.rank == root ? MPI_IN_PLACE : send.at(),
                g.rank == root ? buffer : nullptr, count, type, op, root, comm);
  });
  compare("allreduce" + where, Memory(type, count, seed + 1, 2), [&](void* buffer, bool native) {
    return CALL(Allreduce, allreduce, send.at(), buffer, count, type, op, comm);
  });
  compare("allreduce in place" + where, Memory(type, count, seed, 2),
          [&](void* buffer, bool native) {
            return CALL(Allreduce, allreduce, MPI_IN_PLACE, buffer, count, type, op, comm);
          });
  compare("scan" + where, Memory(type, count, seed + 1, 2), [&](void* buffer, bool native) {
    return CALL(Scan, scan, send.at(), buffer, count, type, op, comm);
  });
  compare("scan in place" + where, Memory(type, count, seed, 2), [&](void* buffer, bool native) {
    return CALL(Scan, scan, MPI_IN_PLACE, buffer, count, type, op, comm);
  });
  // What the first rank receives is undefined.
  Memory unread(type, count, seed + 3, 2);
  compare("exscan" + where, Memory(type, count, seed + 1, 2), [&](void* buffer, bool native) {
    return CALL(Exscan, exscan, send.at(), g.rank == 0 ? unread.at() : buffer, count, type, op,
                comm);
  });
  compare("exscan in place" + where, Memory(type, count, seed, 2), [&](void* buffer, bool native) {
    void* both = buffer;
    if (g.rank == 0) both = unread.at();
    return CALL(Exscan, exscan, MPI_IN_PLACE, both, count, type, op, comm);
  });
  compare("reduce_scatter_block" + where, Memory(type, count, seed + 1, 2),
          [&](void* buffer, bool native) {
            return CALL(Reduce_scatter_block, reduce_scatter_block, send.at(), buffer, count, type,
                        op, comm);
          });
  compare("reduce_scatter" + where, Memory(type, sum, seed + 1, 2), [&](void* buffer, bool native) {
    return CALL(Reduce_scatter, reduce_scatter, many.at(), buffer, counts.data(), type, op, comm);
  });
  // In place the rest of the buffer is undefined: only this rank's result is compared.
  for (const bool block : {true, false}) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    const int mine = block ? count : counts[static_cast<std::size_t>(g.rank)];
    Memory result(type, mine, seed + 2, 2);
    compare(std::string(block ? "reduce_scatter_block" : "reduce_scatter") + " in place" + where,
            result, [&](void* buffer, bool native) {
              Memory work(type, block ? all : sum, seed, 2);
              const int code = block ? CALL(Reduce_scatter_block, reduce_scatter_block,
                                            MPI_IN_PLACE, work.at(), count, type, op, comm)
                                     : CALL(Reduce_scatter, reduce_scatter, MPI_IN_PLACE, work.at(),
                                            counts.data(), type, op, comm);
              std::memcpy(buffer, work.at(), static_cast<std::size_t>(mine * extent));
              return code;
            });
  }
}
