// What programs may do, though few do: reductions of types with gaps, absolute addresses, requests
// that are looked at but not taken, blocking and non-blocking calls in another order on another
// rank, communicators by the thousand. Prints what is wrong; returns the number of mistakes, at
// most 99.

#include "expect.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <mpi.h>
#include <unistd.h>

namespace {

/// x → factor·x + term (mod 10007), with gaps around both and the factor last: maps that are
/// applied one after the other do not commute.
struct Map {
  int before = 7;
  int term = 0;
  int between = 7;
  int factor = 0;
  int behind = 7;
};

void apply_both(void* left, void* right, int* count, MPI_Datatype*) {
  // The type's lower bound is -4: elements begin with what lies before their address.
  auto* a = reinterpret_cast<Map*>(static_cast<char*>(left) - 4);
  auto* b = reinterpret_cast<Map*>(static_cast<char*>(right) - 4);
  for (int i = 0; i < *count; ++i) {
    const long term = (static_cast<long>(a[i].factor) * b[i].term + a[i].term) % 10007;
    b[i].factor = static_cast<int>(static_cast<long>(a[i].factor) * b[i].factor % 10007);
    b[i].term = static_cast<int>(term);
  }
}

Map map_of(int of_rank, int i) {
  Map map;
  map.factor = (of_rank + 2 + i) % 97;
  map.term = (of_rank * of_rank + i) % 89;
  return map;
}

Map all_maps(int i) {
  Map all = map_of(0, i);
  for (int r = 1; r < ranks; ++r) {
    Map next = map_of(r, i);
    int one = 1;
    apply_both(&all.term, &next.term, &one, nullptr);
    all = next;
  }
  return all;
}

MPI_Datatype map_type() {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(Map, factor) - 4, offsetof(Map, term) - 4};
  const MPI_Datatype parts[] = {MPI_INT, MPI_INT};
  MPI_Datatype bare;
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, parts, &bare);
  MPI_Type_create_resized(bare, -4, sizeof(Map), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&bare);
  return type;
}

void own_types_with_gaps() {
  MPI_Datatype type = map_type();
  MPI_Op op;
  MPI_Op_create(&apply_both, 0, &op);
  for (const int count : {0, 1, 5, 2000}) {
    std::vector<Map> mine;
    for (int i = 0; i < count; ++i) mine.push_back(map_of(rank, i));
    std::vector<Map> all(mine.size() + 1);
    for (Map& map : all) map.before = map.between = map.behind = 9;
    MPI_Allreduce(mine.data() == nullptr ? nullptr : &mine.data()->term, &all.data()->term, count,
                  type, op, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
      const Map& map = all[static_cast<std::size_t>(i)];
      const Map right = all_maps(i);
      expect(map.factor == right.factor && map.term == right.term,
             "maps in the order of the ranks");
      expect(map.before == 9 && map.between == 9 && map.behind == 9, "a gap was written to");
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

struct Pair {
  double value;
  int place;
};

void pairs(bool non_blocking) {
  for (const int count : {0, 1, 3, 1000}) {
    std::vector<Pair> mine(static_cast<std::size_t>(count) + 1);
    std::vector<Pair> most(mine.size());
    std::memset(static_cast<void*>(most.data()), 0x77, sizeof(Pair) * most.size());
    for (int i = 0; i < count; ++i)
      mine[static_cast<std::size_t>(i)] = {(i * 7 + rank * 3) % 5 + 0.5, rank};
    MPI_Request request = MPI_REQUEST_NULL;
    if (non_blocking) {
      MPI_Iallreduce(mine.data(), most.data(), count, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD,
                     &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Allreduce(mine.data(), most.data(), count, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    }
    for (int i = 0; i < count; ++i) {
      Pair right{0, -1};
      for (int r = 0; r < ranks; ++r) {
        const double value = (i * 7 + r * 3) % 5 + 0.5;
        if (value > right.value) right = {value, r};
      }
      const Pair& got = most[static_cast<std::size_t>(i)];
      expect(got.value == right.value && got.place == right.place, "the greatest and its place");
      int gap = 0;
      std::memcpy(&gap, reinterpret_cast<const char*>(&got) + 12, sizeof gap);
      expect(gap == 0x77777777, "the gap of a pair was written to");
    }
  }
}

void absolute_addresses() {
  std::vector<int> integers(3000, rank == 0 ? 5 : 0);
  std::vector<double> reals(100, rank == 0 ? 0.5 : 0);
  const int lengths[] = {3000, 100};
  MPI_Aint places[2];
  const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE};
  MPI_Get_address(integers.data(), &places[0]);
  MPI_Get_address(reals.data(), &places[1]);
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  expect(std::count(integers.begin(), integers.end(), 5) == 3000 && reals[99] == 0.5,
         "a broadcast of absolute addresses");
  MPI_Type_free(&type);
}

void looked_at() {
  int sum = -1;
  int flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  while (flag == 0) MPI_Request_get_status(request, &flag, &status);
  expect(request != MPI_REQUEST_NULL, "a request that was only looked at is there still");
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  expect(flag == 0 && sum == ranks * (ranks - 1) / 2, "an all-reduction that was looked at");
}

/// No MPI that these programs met minds, as they match non-blocking calls apart from blocking ones.
void orders_differ() {
  for (int other = 0; other < ranks; ++other) {
    int one = 1;
    int all = 0;
    MPI_Request request;
    if (rank != other) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == other) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(all == ranks, "an all-reduction before a barrier here, behind it elsewhere");
  }
}

long resident_kilobytes() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

void communicators_come_and_go(int times) {
  std::vector<double> values(1000, rank);
  long before = 0;
  for (int i = 0; i < times; ++i) {
    if (i == times / 2) before = resident_kilobytes();
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Bcast(values.data(), 1000, MPI_DOUBLE, i % ranks, comm);
    MPI_Comm_free(&comm);
  }
  const long grown = resident_kilobytes() - before;
  expect(grown < 4096, "memory grew by " + std::to_string(grown) + " KiB");
}

}  // namespace

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Barrier(MPI_COMM_WORLD);
  own_types_with_gaps();
  pairs(false);
  pairs(true);
  absolute_addresses();
  looked_at();
  orders_differ();
  communicators_come_and_go(argc > 1 ? std::atoi(argv[1]) : 100);
  return end();
}
