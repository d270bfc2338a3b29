// Every collective as the program calls it (MPI_) against the MPI beneath (PMPI_) on the same data:
// types, operations, in place, odd counts, communicators, blocking and not, between point-to-point
// messages. Prints what differs; returns the number of differences, at most 99.
// To be run under the drop-in with CUBOID_MPI=force, so that it is Cuboid that is held against MPI.

#include "persistent_names.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <mpi.h>

namespace {

using Bytes = std::vector<unsigned char>;

int differences = 0;
int compared = 0;
int world_rank = 0;

void differ(const std::string& what) {
  ++differences;
  std::fprintf(stderr, "rank %d: differs from the MPI beneath: %s\n", world_rank, what.c_str());
}

/// What the calls of one communicator have in common.
struct Group {
  std::string name;
  MPI_Comm comm;
  int rank = 0;
  int size = 0;
  explicit Group(std::string named, MPI_Comm of) : name(std::move(named)), comm(of) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
  }
};

struct Type {
  std::string name;
  MPI_Datatype type;
};

/// Of so many values. Sums must not overflow: Open MPI 4.1 saturates those of short integers.
Bytes random_bytes(std::size_t size, unsigned seed, unsigned values) {
  std::mt19937 engine(seed * 1009 + static_cast<unsigned>(world_rank) * 31 + 7);
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(engine() % values);
  return bytes;
}

/// Memory for so many elements, whatever their bounds.
struct Memory {
  Bytes bytes;
  std::size_t origin = 0;
  void* at() { return bytes.data() + origin; }
  bool operator==(const Memory& other) const { return bytes == other.bytes; }

  Memory(MPI_Datatype type, int count, unsigned seed, unsigned values = 200) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
    const MPI_Aint room = 64 + std::abs(true_lower) + true_extent + std::abs(extent) * (count + 1);
    origin = 64 + static_cast<std::size_t>(std::abs(true_lower));
    bytes = random_bytes(static_cast<std::size_t>(room) + origin, seed, values);
  }
};

/// Both forms of a call: first as the program would make it, then beneath; `call` gets the receive
/// buffer and whether to go beneath, and completes it.
void compare(const std::string& what, Memory memory,
             const std::function<int(void* buffer, bool beneath)>& call) {
  Memory expected = memory;
  const int code_beneath = call(expected.at(), true);
  const int code = call(memory.at(), false);
  ++compared;
  if (code != code_beneath)
    differ(what + ": code " + std::to_string(code) + " for " + std::to_string(code_beneath));
  if (!(memory == expected)) differ(what);
}

int complete(int code, MPI_Request& request) {
  if (code != MPI_SUCCESS) return code;
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

enum class Form { blocking, non_blocking, persistent };

std::string text_of(Form form) {
  if (form == Form::blocking) return "";
  return form == Form::non_blocking ? ", non-blocking" : ", persistent";
}

/// The second run finds what the first has left in the buffers.
[[maybe_unused]] int run_twice(int code, MPI_Request& request, bool beneath) {
  for (int run = 0; run < 2 && code == MPI_SUCCESS; ++run) {
    code = beneath ? PMPI_Start(&request) : MPI_Start(&request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request == MPI_REQUEST_NULL) differ("a persistent request is gone");
  }
  if (request != MPI_REQUEST_NULL)
    beneath ? PMPI_Request_free(&request) : MPI_Request_free(&request);
  return code;
}

#ifdef INIT
#define PERSISTENT(Name, ...)                                                  \
  run_twice(beneath ? INIT_BENEATH(Name)(__VA_ARGS__, MPI_INFO_NULL, &request) \
                    : INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, &request),        \
            request, beneath)
constexpr bool has_persistent = true;
#else
#define PERSISTENT(Name, ...) MPI_ERR_UNSUPPORTED_OPERATION
constexpr bool has_persistent = false;
#endif

/// Calls one form of a collective, above or beneath.
#define CALL(Name, name, ...)                                                               \
  [&]() -> int {                                                                            \
    if (form == Form::blocking)                                                             \
      return beneath ? PMPI_##Name(__VA_ARGS__) : MPI_##Name(__VA_ARGS__);                  \
    MPI_Request request = MPI_REQUEST_NULL;                                                 \
    if (form == Form::persistent) return PERSISTENT(Name, __VA_ARGS__);                     \
    const int code =                                                                        \
        beneath ? PMPI_I##name(__VA_ARGS__, &request) : MPI_I##name(__VA_ARGS__, &request); \
    return complete(code, request);                                                         \
  }()

std::vector<int> uneven(int size, int count) {
  std::vector<int> counts;
  for (int rank = 0; rank < size; ++rank) counts.push_back(count * ((rank + 1) % 3));
  return counts;
}

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

void moves(const Group& g, const Type& t, int count, Form form, unsigned seed) {
  const std::string where =
      " of " + std::to_string(count) + " " + t.name + " on " + g.name + text_of(form);
  const int all = count * g.size;
  const int root = static_cast<int>(seed) % g.size;
  Memory send(t.type, all, seed);
  MPI_Comm comm = g.comm;
  MPI_Datatype type = t.type;

  compare("bcast" + where, Memory(type, count, seed + 1), [&](void* buffer, bool beneath) {
    return CALL(Bcast, bcast, buffer, count, type, root, comm);
  });
  compare("allgather" + where, Memory(type, all, seed + 2), [&](void* buffer, bool beneath) {
    return CALL(Allgather, allgather, send.at(), count, type, buffer, count, type, comm);
  });
  compare("allgather in place" + where, Memory(type, all, seed), [&](void* buffer, bool beneath) {
    return CALL(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, count, type,
                comm);
  });
  compare("gather" + where, Memory(type, all, seed + 3), [&](void* buffer, bool beneath) {
    return CALL(Gather, gather, send.at(), count, type, buffer, count, type, root, comm);
  });
  compare("gather in place" + where, Memory(type, all, seed), [&](void* buffer, bool beneath) {
    return CALL(Gather, gather, g.rank == root ? MPI_IN_PLACE : send.at(), count, type, buffer,
                count, type, root, comm);
  });
  compare("scatter" + where, Memory(type, count, seed + 4), [&](void* buffer, bool beneath) {
    return CALL(Scatter, scatter, send.at(), count, type, buffer, count, type, root, comm);
  });
  compare("scatter in place" + where, Memory(type, all, seed), [&](void* buffer, bool beneath) {
    if (g.rank == root)
      return CALL(Scatter, scatter, buffer, count, type, MPI_IN_PLACE, count, type, root, comm);
    return CALL(Scatter, scatter, nullptr, 0, MPI_DATATYPE_NULL, buffer, count, type, root, comm);
  });
  compare("alltoall" + where, Memory(type, all, seed + 5), [&](void* buffer, bool beneath) {
    return CALL(Alltoall, alltoall, send.at(), count, type, buffer, count, type, comm);
  });
  if (form == Form::blocking) {
    compare("alltoall in place" + where, Memory(type, all, seed), [&](void* buffer, bool beneath) {
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

  compare("allgatherv" + where, Memory(type, room, seed + 1), [&](void* buffer, bool beneath) {
    return CALL(Allgatherv, allgatherv, send.at(), own, type, buffer, counts.data(), places.data(),
                type, comm);
  });
  compare("allgatherv in place" + where, Memory(type, room, seed), [&](void* buffer, bool beneath) {
    return CALL(Allgatherv, allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, counts.data(),
                places.data(), type, comm);
  });
  compare("gatherv" + where, Memory(type, room, seed + 2), [&](void* buffer, bool beneath) {
    if (g.rank != root)
      return CALL(Gatherv, gatherv, send.at(), own, type, nullptr, nullptr, nullptr,
                  MPI_DATATYPE_NULL, root, comm);
    return CALL(Gatherv, gatherv, send.at(), own, type, buffer, counts.data(), places.data(), type,
                root, comm);
  });
  compare("gatherv in place" + where, Memory(type, room, seed), [&](void* buffer, bool beneath) {
    return CALL(Gatherv, gatherv, g.rank == root ? MPI_IN_PLACE : send.at(), own, type, buffer,
                counts.data(), places.data(), type, root, comm);
  });
  compare("scatterv" + where, Memory(type, room, seed + 3), [&](void* buffer, bool beneath) {
    return CALL(Scatterv, scatterv, send.at(), counts.data(), places.data(), type, buffer, own,
                type, root, comm);
  });
  compare("scatterv in place" + where, Memory(type, room, seed), [&](void* buffer, bool beneath) {
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
          [&](void* buffer, bool beneath) {
            return CALL(Alltoallv, alltoallv, more.at(), sent.data(), sent_places.data(), type,
                        buffer, received.data(), received_places.data(), type, comm);
          });
}

struct Operation {
  std::string name;
  MPI_Op op;
};

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

  compare("reduce" + where, Memory(type, count, seed + 1, 2), [&](void* buffer, bool beneath) {
    return CALL(Reduce, reduce, send.at(), buffer, count, type, op, root, comm);
  });
  compare("reduce in place" + where, Memory(type, count, seed, 2), [&](void* buffer, bool beneath) {
    return CALL(Reduce, reduce, g.rank == root ? MPI_IN_PLACE : send.at(),
                g.rank == root ? buffer : nullptr, count, type, op, root, comm);
  });
  compare("allreduce" + where, Memory(type, count, seed + 1, 2), [&](void* buffer, bool beneath) {
    return CALL(Allreduce, allreduce, send.at(), buffer, count, type, op, comm);
  });
  compare("allreduce in place" + where, Memory(type, count, seed, 2),
          [&](void* buffer, bool beneath) {
            return CALL(Allreduce, allreduce, MPI_IN_PLACE, buffer, count, type, op, comm);
          });
  compare("scan" + where, Memory(type, count, seed + 1, 2), [&](void* buffer, bool beneath) {
    return CALL(Scan, scan, send.at(), buffer, count, type, op, comm);
  });
  compare("scan in place" + where, Memory(type, count, seed, 2), [&](void* buffer, bool beneath) {
    return CALL(Scan, scan, MPI_IN_PLACE, buffer, count, type, op, comm);
  });
  // What the first rank receives is undefined.
  Memory unread(type, count, seed + 3, 2);
  compare("exscan" + where, Memory(type, count, seed + 1, 2), [&](void* buffer, bool beneath) {
    return CALL(Exscan, exscan, send.at(), g.rank == 0 ? unread.at() : buffer, count, type, op,
                comm);
  });
  compare("exscan in place" + where, Memory(type, count, seed, 2), [&](void* buffer, bool beneath) {
    void* both = buffer;
    if (g.rank == 0) both = unread.at();
    return CALL(Exscan, exscan, MPI_IN_PLACE, both, count, type, op, comm);
  });
  compare("reduce_scatter_block" + where, Memory(type, count, seed + 1, 2),
          [&](void* buffer, bool beneath) {
            return CALL(Reduce_scatter_block, reduce_scatter_block, send.at(), buffer, count, type,
                        op, comm);
          });
  compare("reduce_scatter" + where, Memory(type, sum, seed + 1, 2),
          [&](void* buffer, bool beneath) {
            return CALL(Reduce_scatter, reduce_scatter, many.at(), buffer, counts.data(), type, op,
                        comm);
          });
  // In place the rest of the buffer is undefined: only this rank's result is compared.
  for (const bool block : {true, false}) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    const int mine = block ? count : counts[static_cast<std::size_t>(g.rank)];
    Memory result(type, mine, seed + 2, 2);
    compare(std::string(block ? "reduce_scatter_block" : "reduce_scatter") + " in place" + where,
            result, [&](void* buffer, bool beneath) {
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

/// Ranks' contributions in their order: associative, but not commutative (2×2 matrices mod 251).
void multiply_matrices(void* left, void* right, int* count, MPI_Datatype*) {
  auto* a = static_cast<int*>(left);
  auto* b = static_cast<int*>(right);
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    unsigned u[4];
    unsigned v[4];
    for (int j = 0; j < 4; ++j) {
      u[j] = static_cast<unsigned>(a[j]) % 251u;
      v[j] = static_cast<unsigned>(b[j]) % 251u;
    }
    b[0] = static_cast<int>((u[0] * v[0] + u[1] * v[2]) % 251u);
    b[1] = static_cast<int>((u[0] * v[1] + u[1] * v[3]) % 251u);
    b[2] = static_cast<int>((u[2] * v[0] + u[3] * v[2]) % 251u);
    b[3] = static_cast<int>((u[2] * v[1] + u[3] * v[3]) % 251u);
  }
}

void add_ints(void* left, void* right, int* count, MPI_Datatype*) {
  auto* a = static_cast<unsigned*>(left);
  auto* b = static_cast<unsigned*>(right);
  for (int i = 0; i < *count; ++i) b[i] += a[i];
}

std::vector<Type> types_to_move() {
  std::vector<Type> types = {
      {"MPI_BYTE", MPI_BYTE}, {"MPI_DOUBLE", MPI_DOUBLE}, {"MPI_DOUBLE_INT", MPI_DOUBLE_INT}};
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_FLOAT, &type);
  types.push_back({"contiguous", type});
  MPI_Type_vector(2, 3, 5, MPI_SHORT, &type);
  types.push_back({"vector", type});
  const int lengths[] = {1, 2, 3};
  const MPI_Aint places[] = {16, 0, 9};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Type_create_struct(3, lengths, places, parts, &type);
  types.push_back({"struct", type});
  MPI_Type_create_resized(MPI_INT, -4, 12, &type);
  types.push_back({"resized", type});
  MPI_Type_contiguous(0, MPI_INT, &type);
  types.push_back({"of no size", type});
  for (std::size_t i = 3; i < types.size(); ++i) MPI_Type_commit(&types[i].type);
  return types;
}

void test_group(const Group& g, bool thorough) {
  static const std::vector<Type> types = types_to_move();
  unsigned seed = 0;
  for (const Form form : {Form::blocking, Form::non_blocking, Form::persistent}) {
    if (form == Form::persistent && !has_persistent) continue;
    for (const Type& type : types) {
      for (const int count : thorough ? std::vector{0, 1, 7, 1000} : std::vector{3}) {
        moves(g, type, count, form, ++seed);
        moves_v(g, type, count, form, ++seed);
      }
    }
    const std::vector<Type> numbers = {{"MPI_INT", MPI_INT},
                                       {"MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR},
                                       {"MPI_INT64_T", MPI_INT64_T},
                                       {"MPI_SHORT", MPI_SHORT}};
    const std::vector<Operation> on_numbers = {
        {"max", MPI_MAX},   {"min", MPI_MIN},  {"sum", MPI_SUM},   {"prod", MPI_PROD},
        {"land", MPI_LAND}, {"lor", MPI_LOR},  {"lxor", MPI_LXOR}, {"band", MPI_BAND},
        {"bor", MPI_BOR},   {"bxor", MPI_BXOR}};
    for (const Type& type : numbers) {
      for (const Operation& operation : on_numbers) {
        for (const int count : thorough ? std::vector{0, 1, 13} : std::vector{5})
          reductions(g, type, operation, count, form, ++seed);
        if (!thorough) break;
      }
    }
    reductions(g, {"MPI_INT", MPI_INT}, {"sum", MPI_SUM}, 20000, form, ++seed);
    for (const Operation& operation : {Operation{"maxloc", MPI_MAXLOC}, {"minloc", MPI_MINLOC}}) {
      reductions(g, {"MPI_2INT", MPI_2INT}, operation, 9, form, ++seed);
      reductions(g, {"MPI_SHORT_INT", MPI_SHORT_INT}, operation, 9, form, ++seed);
    }
    reductions(g, {"MPI_BYTE", MPI_BYTE}, {"bxor", MPI_BXOR}, 31, form, ++seed);
    reductions(g, {"MPI_C_BOOL", MPI_C_BOOL}, {"lor", MPI_LOR}, 31, form, ++seed);

    MPI_Datatype matrix;
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op in_order;
    MPI_Op commuting;
    MPI_Op_create(&multiply_matrices, 0, &in_order);
    MPI_Op_create(&add_ints, 1, &commuting);
    for (const int count : {1, 5, 3000}) {
      reductions(g, {"2×2 matrices", matrix}, {"their product", in_order}, count, form, ++seed);
      reductions(g, {"MPI_UNSIGNED", MPI_UNSIGNED}, {"a user's sum", commuting}, count, form,
                 ++seed);
    }
    MPI_Op_free(&in_order);
    MPI_Op_free(&commuting);
    MPI_Type_free(&matrix);
  }
}

/// Requests of all kinds in one list, completed in all ways, while messages are under way.
void mixed_requests(const Group& g) {
  constexpr int count = 5000;
  const int right = (g.rank + 1) % g.size;
  const int left = (g.rank + g.size - 1) % g.size;
  MPI_Barrier(g.comm);
  for (int way = 0; way < 6; ++way) {
    std::vector<int> sent(100000, g.rank + way);
    std::vector<int> came(100000, -1);
    std::vector<int> mine(count, g.rank + 1);
    std::vector<int> sum(count, -1);
    std::vector<int> all(static_cast<std::size_t>(g.size * count), -1);
    std::vector<int> cast(count, g.rank == 0 ? 42 + way : 0);
    std::vector<MPI_Request> requests(6, MPI_REQUEST_NULL);
    MPI_Isend(sent.data(), 100000, MPI_INT, right, 5, g.comm, &requests[0]);
    MPI_Iallreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, g.comm, &requests[1]);
    MPI_Iallgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, g.comm, &requests[2]);
    int total = -1;
    MPI_Allreduce(&g.rank, &total, 1, MPI_INT, MPI_SUM, g.comm);
    if (total != g.size * (g.size - 1) / 2) differ("a blocking call between non-blocking ones");
    MPI_Datatype row;
    MPI_Type_vector(count, 1, 1, MPI_INT, &row);
    MPI_Type_commit(&row);
    MPI_Ibcast(cast.data(), 1, row, 0, g.comm, &requests[3]);
    MPI_Type_free(&row);  // while it is in use
    MPI_Irecv(came.data(), 100000, MPI_INT, left, 5, g.comm, &requests[4]);
    MPI_Ibarrier(g.comm, &requests[5]);

    std::vector<MPI_Status> statuses(requests.size());
    int done = 0;
    int index = 0;
    std::vector<int> indices(requests.size());
    switch (way) {
      case 0: MPI_Waitall(6, requests.data(), MPI_STATUSES_IGNORE); break;
      case 1: MPI_Waitall(6, requests.data(), statuses.data()); break;
      case 2:
        for (int i = 0; i < 6; ++i) MPI_Waitany(6, requests.data(), &index, &statuses[0]);
        break;
      case 3:
        while (done < 6) {
          int some = 0;
          MPI_Waitsome(6, requests.data(), &some, indices.data(), statuses.data());
          done += some;
        }
        break;
      case 4:
        for (int all_done = 0; all_done == 0;)
          MPI_Testall(6, requests.data(), &all_done, statuses.data());
        break;
      default:
        for (MPI_Request& request : requests) {
          for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
    }
    for (const MPI_Request request : requests) {
      if (request != MPI_REQUEST_NULL) differ("a request that is not freed");
    }
    const int sum_of_all = g.size * (g.size + 1) / 2;
    if (std::count(sum.begin(), sum.end(), sum_of_all) != count) differ("allreduce among others");
    if (std::count(cast.begin(), cast.end(), 42 + way) != count) differ("bcast among others");
    if (std::count(came.begin(), came.end(), left + way) != 100000) differ("message among others");
    for (int rank = 0; rank < g.size; ++rank) {
      if (all[static_cast<std::size_t>(rank * count + count / 2)] != rank + 1)
        differ("allgather among others");
    }
    compared += 5;
  }
}

/// More at once than Cuboid has numbers for, none of which can end before a message has come that
/// is sent after all have been started.
void many_at_once(const Group& g) {
  constexpr int calls = 700;
  MPI_Barrier(g.comm);
  std::vector<int> sums(calls, -1);
  std::vector<MPI_Request> requests(calls);
  int token = 0;
  if (g.rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 9, g.comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < calls; ++i) {
    const auto number = static_cast<std::size_t>(i);
    sums[number] = g.rank + i;
    MPI_Iallreduce(MPI_IN_PLACE, &sums[number], 1, MPI_INT, MPI_SUM, g.comm, &requests[number]);
  }
  if (g.rank == 0 && g.size > 1) MPI_Send(&token, 1, MPI_INT, 1, 9, g.comm);
  int one = 1;
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, g.comm);
  if (one != g.size) differ("a blocking call behind many");
  MPI_Waitall(calls, requests.data(), MPI_STATUSES_IGNORE);
  for (int i = 0; i < calls; ++i) {
    if (sums[static_cast<std::size_t>(i)] != g.size * i + g.size * (g.size - 1) / 2)
      differ("one of many all-reductions");
  }
}

/// Root 0 has something under way by rendezvous that its peer takes before it joins the collective.
void long_message_before(const Group& g) {
  if (g.size < 2) return;
  std::vector<char> sent(8 << 20, 'x');
  MPI_Request request = MPI_REQUEST_NULL;
  if (g.rank == 0)
    MPI_Isend(sent.data(), static_cast<int>(sent.size()), MPI_CHAR, 1, 3, g.comm, &request);
  if (g.rank == 1) {
    MPI_Recv(sent.data(), static_cast<int>(sent.size()), MPI_CHAR, 0, 3, g.comm, MPI_STATUS_IGNORE);
  }
  std::vector<int> values(1000, g.rank);
  MPI_Bcast(values.data(), 1000, MPI_INT, 1, g.comm);
  if (values[999] != 1) differ("broadcast behind a long message");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void inter_communicator() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  const bool low = world_rank < size / 2;
  MPI_Comm half;
  MPI_Comm inter;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 4, &inter);
  int remote = 0;
  MPI_Comm_remote_size(inter, &remote);
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
  const int root = !low ? 0 : world_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(values.data(), 3000, MPI_DOUBLE, root, inter);
  if (!low && values[2999] != 0) differ("broadcast between groups");
  MPI_Barrier(inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/// Communicators by the hundred, their handles used again.
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

/// The caller's errors are told as MPI tells them, and what comes after works.
void errors() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int values[4] = {1, 2, 3, 4};
  int more[4] = {};
  const auto same = [&](const char* what, int code, int beneath) {
    int its_class = 0;
    int class_beneath = 0;
    MPI_Error_class(code, &its_class);
    MPI_Error_class(beneath, &class_beneath);
    if (its_class != class_beneath)
      differ(std::string(what) + ": class " + std::to_string(its_class) + " for " +
             std::to_string(class_beneath));
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

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string(argv[1]) == "quick";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // Without the drop-in the one is another name of the other.
  if (&MPI_Bcast == &PMPI_Bcast) differ("the drop-in is not there");

  MPI_Comm duplicate;
  MPI_Comm reversed;
  MPI_Comm split;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &split);
  MPI_Barrier(split);  // the first to get a counterpart is not the world

  const Group world("the world", MPI_COMM_WORLD);
  test_group(world, !quick);
  mixed_requests(world);
  many_at_once(world);
  long_message_before(world);
  for (const Group& group : {Group("a duplicate", duplicate), Group("the world reversed", reversed),
                             Group("a part", split), Group("this rank alone", MPI_COMM_SELF)}) {
    MPI_Barrier(group.comm);
    test_group(group, false);
    mixed_requests(group);
    long_message_before(group);
  }
  inter_communicator();
  errors();
  come_and_go();
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&split);

  int worst = 0;
  PMPI_Allreduce(&differences, &worst, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) std::printf("%d comparisons on rank 0, %d differences\n", compared, worst);
  MPI_Finalize();
  return std::min(worst, 99);
}
