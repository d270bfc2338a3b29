#include "cases.hpp"

#include <numeric>

namespace {

/// With gaps between blocks, and in reverse order.
std::vector<int> reversed_places(const std::vector<int>& counts) {
  std::vector<int> places(counts.size());
  int next = 1;
  for (std::size_t i = counts.size(); i-- > 0;) {
    places[i] = next;
    next += counts[i] + 1;
  }
  return places;
}

int room_for(const std::vector<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0) + static_cast<int>(counts.size()) + 1;
}

}  // namespace

void moves(const Group& g, const Type& t, int count, Form form, unsigned seed) {
  const std::string where =
      " of " + std::to_string(count) + " " + t.name + " on " + g.name + text_of(form);
  const int all = count * g.size;
  const int root = static_cast<int>(seed) % g.size;
  Memory send(t.type, all, seed);
  MPI_Comm comm = g.comm;
  MPI_Datatype type = t.type;

  compare("bcast" + where, Memory(type, count, seed + 1), [&](void* buffer, bool native) {
    return CALL(Bcast, bcast, buffer, count, type, root, comm);
  });
  compare("allgather" + where, Memory(type, all, seed + 2), [&](void* buffer, bool native) {
    return CALL(Allgather, allgather, send.at(), count, type, buffer, count, type, comm);
  });
  compare("allgather in place" + where, Memory(type, all, seed), [&](void* buffer, bool native) {
    return CALL(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, count, type,
                comm);
  });
  compare("gather" + where, Memory(type, all, seed + 3), [&](void* buffer, bool native) {
    return CALL(Gather, gather, send.at(), count, type, buffer, count, type, root, comm);
  });
  compare("gather in place" + where, Memory(type, all, seed), [&](void* buffer, bool native) {
    return CALL(Gather, gather, g.rank == root ? MPI_IN_PLACE : send.at(), count, type, buffer,
                count, type, root, comm);
  });
  compare("scatter" + where, Memory(type, count, seed + 4), [&](void* buffer, bool native) {
    return CALL(Scatter, scatter, send.at(), count, type, buffer, count, type, root, comm);
  });
  compare("scatter in place" + where, Memory(type, all, seed), [&](void* buffer, bool native) {
    if (g.rank == root)
      return CALL(Scatter, scatter, buffer, count, type, MPI_IN_PLACE, count, type, root, comm);
    return CALL(Scatter, scatter, nullptr, 0, MPI_DATATYPE_NULL, buffer, count, type, root, comm);
  });
  compare("alltoall" + where, Memory(type, all, seed + 5), [&](void* buffer, bool native) {
    return CALL(Alltoall, alltoall, send.at(), count, type, buffer, count, type, comm);
  });
  if (form == Form::blocking) {
    compare("alltoall in place" + where, Memory(type, all, seed), [&](void* buffer, bool native) {
      return CALL(Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, count, type,
                  comm);
    });
  }
}

void moves_v(const Group& g, const Type& t, int count, Form form, unsigned seed) {
  const std::string where =
      " of " + std::to_string(count) + " " + t.name + " on " + g.name + text_of(form);
  const int root = static_cast<int>(seed) % g.size;
  const auto counts = uneven(g.size, count);
  const auto places = reversed_places(counts);
  const int room = room_for(counts);
  const int own = counts[static_cast<std::size_t>(g.rank)];
  Memory send(t.type, room, seed);
  MPI_Comm comm = g.comm;
  MPI_Datatype type = t.type;

  compare("allgatherv" + where, Memory(type, room, seed + 1), [&](void* buffer, bool native) {
    return CALL(Allgatherv, allgatherv, send.at(), own, type, buffer, counts.data(), places.data(),
                type, comm);
  });
  compare("allgatherv in place" + where, Memory(type, room, seed), [&](void* buffer, bool native) {
    return CALL(Allgatherv, allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, counts.data(),
                places.data(), type, comm);
  });
  compare("gatherv" + where, Memory(type, room, seed + 2), [&](void* buffer, bool native) {
    if (g.rank != root)
      return CALL(Gatherv, gatherv, send.at(), own, type, nullptr, nullptr, nullptr,
                  MPI_DATATYPE_NULL, root, comm);
    return CALL(Gatherv, gatherv, send.at(), own, type, buffer, counts.data(), places.data(), type,
                root, comm);
  });
  compare("gatherv in place" + where, Memory(type, room, seed), [&](void* buffer, bool native) {
    return CALL(Gatherv, gatherv, g.rank == root ? MPI_IN_PLACE : send.at(), own, type, buffer,
                counts.data(), places.data(), type, root, comm);
  });
  compare("scatterv" + where, Memory(type, room, seed + 3), [&](void* buffer, bool native) {
    return CALL(Scatterv, scatterv, send.at(), counts.data(), places.data(), type, buffer, own,
                type, root, comm);
  });
  compare("scatterv in place" + where, Memory(type, room, seed), [&](void* buffer, bool native) {
    if (g.rank == root)
      return CALL(Scatterv, scatterv, buffer, counts.data(), places.data(), type, MPI_IN_PLACE, own,
                  type, root, comm);
    return CALL(Scatterv, scatterv, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, buffer, own, type,
                root, comm);
  });

  // Rank i sends rank j (i + 2j) mod 3 times as many.
  std::vector<int> sent;
  std::vector<int> received;
  for (int peer = 0; peer < g.size; ++peer) {
    sent.push_back(count * ((g.rank + 2 * peer) % 3));
    received.push_back(count * ((peer + 2 * g.rank) % 3));
  }
  const auto sent_places = reversed_places(sent);
  const auto received_places = reversed_places(received);
  Memory more(type, room_for(sent), seed);
  compare("alltoallv" + where, Memory(type, room_for(received), seed + 4),
          [&](void* buffer, bool native) {
            return CALL(Alltoallv, alltoallv, more.at(), sent.data(), sent_places.data(), type,
                        buffer, received.data(), received_places.data(), type, comm);
          });
}
