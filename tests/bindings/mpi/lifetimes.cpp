// What programs may do with communicators, types and requests, though few do: communicators made in
// all ways, calls from attributes that are deleted, what is freed while it is in use, persistent
// requests among others. Prints what is wrong; returns the number of mistakes, at most 99. To be
// run under the drop-in with CUBOID_MPI=force: Open MPI 4.1 by itself crashes in the last two.

#include "expect.hpp"
#include "persistent_names.hpp"
#include "two_groups.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <mpi.h>

namespace {

// --- Communicators.

int copies = 0;
int deletions = 0;

int on_copy(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  ++copies;
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int on_delete(MPI_Comm comm, int, void*, void*) {
  ++deletions;
  int value = rank;
  MPI_Bcast(&value, 1, MPI_INT, ranks - 1, comm);
  expect(value == ranks - 1, "a broadcast while the communicator is deleted");
  return MPI_SUCCESS;
}

void use(MPI_Comm comm, const char* what) {
  int size = 0;
  int own = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &own);
  std::vector<int> sums(1000, own + 1);
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, sums.data(), 1000, MPI_INT, MPI_SUM, comm, &request);
  std::vector<int> values(1000, own);
  MPI_Bcast(values.data(), 1000, MPI_INT, size - 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(values[999] == size - 1 && sums[500] == size * (size + 1) / 2, what);
}

void all_kinds_of_communicators() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(&on_copy, &on_delete, &key, nullptr);
  MPI_Comm first;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, key, &key);
  use(first, "a duplicate");
  MPI_Comm second;
  MPI_Comm_dup(first, &second);
  use(second, "a duplicate of a duplicate");
  MPI_Comm third;
  MPI_Comm_dup_with_info(second, MPI_INFO_NULL, &third);
  use(third, "a duplicate with information");
  MPI_Comm fourth;
  MPI_Request request;
  MPI_Comm_idup(third, &fourth, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use(fourth, "a duplicate by request");
  expect(copies >= 2, "attributes are copied");
  const int before = copies;
  for (MPI_Comm* comm : {&fourth, &third, &second, &first}) MPI_Comm_free(comm);
  expect(deletions == before + 1, "attributes are deleted as often as they were made");
  MPI_Comm_free_keyval(&key);

  MPI_Comm on_node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &on_node);
  use(on_node, "the ranks of a node");
  MPI_Comm_free(&on_node);

  MPI_Group all;
  MPI_Group some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int ranges[1][3] = {{ranks - 1, 0, ranks > 2 ? -2 : -1}};
  MPI_Group_range_incl(all, 1, ranges, &some);
  int place = MPI_UNDEFINED;
  MPI_Group_rank(some, &place);
  MPI_Comm made;
  if (place != MPI_UNDEFINED) {
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &made);
    use(made, "a group's communicator");
    MPI_Comm_disconnect(&made);
  }
  MPI_Comm_create(MPI_COMM_WORLD, some, &made);
  if (made != MPI_COMM_NULL) {
    use(made, "a communicator of some");
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);

  int extents[1] = {ranks};
  int wraps[1] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, extents, wraps, 1, &made);
  use(made, "a ring");
  MPI_Comm_free(&made);

  std::vector<MPI_Comm> many(100);
  for (MPI_Comm& comm : many) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (MPI_Comm& comm : many) use(comm, "one of many communicators");
  for (MPI_Comm& comm : many) MPI_Comm_free(&comm);
}

void between_groups() {
  if (ranks < 2) return;
  const TwoGroups groups(rank, ranks);
  const bool low = groups.low;
  const MPI_Comm inter = groups.inter;
  const int remote = groups.remote;
  std::vector<int> values(3000, rank);
  std::vector<int> counts(at(remote), 1);
  std::vector<int> places;
  for (int i = 0; i < remote; ++i) places.push_back(i);
  std::vector<int> all(at(remote), -1);
  MPI_Request requests[3];
  MPI_Ibcast(values.data(), 3000, MPI_INT, groups.root(rank), inter, &requests[0]);
  int sum = 0;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[1]);
  MPI_Iallgatherv(&rank, 1, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, inter,
                  &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  if (!low) expect(values[2999] == 0, "broadcast by request between groups");
  expect(all.front() == (low ? ranks / 2 : 0), "all-gather by request between groups");
  MPI_Comm merged;
  MPI_Intercomm_merge(inter, low ? 1 : 0, &merged);
  use(merged, "two groups merged");
  MPI_Comm_free(&merged);
}

// --- What is freed while it is in use.

void freed_in_use() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  use(comm, "a communicator before it is freed");
  MPI_Datatype row;
  MPI_Type_vector(500, 1, 2, MPI_INT, &row);
  MPI_Type_commit(&row);
  std::vector<int> cast(1000, rank == 0 ? 3 : 0);
  std::vector<int> gathered(at(1000 * ranks), -1);
  std::vector<int> exchanged(at(ranks), -1);
  const std::vector<int> own(at(ranks), rank);
  std::vector<MPI_Request> requests(4);
  MPI_Ibcast(cast.data(), 1, row, 0, comm, &requests[0]);
  MPI_Igather(own.data(), 1, MPI_INT, gathered.data(), 1, MPI_INT, 0, comm, &requests[1]);
  MPI_Ialltoall(own.data(), 1, MPI_INT, exchanged.data(), 1, MPI_INT, comm, &requests[2]);
  MPI_Ibarrier(comm, &requests[3]);
  MPI_Type_free(&row);
  MPI_Comm_free(&comm);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  expect(cast[998] == 3, "a broadcast of a type and on a communicator that are freed");
  if (rank == 0)
    expect(gathered[at(ranks - 1)] == ranks - 1, "a gather on a communicator that is freed");
  expect(exchanged.back() == ranks - 1, "an all-to-all on a communicator that is freed");
}

// --- Persistent collectives.

#ifdef INIT
void persistent() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Datatype row;
  MPI_Type_vector(500, 1, 2, MPI_INT, &row);
  MPI_Type_commit(&row);
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  std::vector<int> cast(1000, -1);
  std::vector<int> mine(1000, -1);
  std::vector<int> sums(1000, -1);
  std::vector<int> sent(20000, -1);
  std::vector<int> came(20000, -1);
  enum { broadcast, sum, send, receive, barrier, number };
  std::vector<MPI_Request> requests(number, MPI_REQUEST_NULL);
  INIT(Bcast)(cast.data(), 1, row, 0, comm, MPI_INFO_NULL, &requests[broadcast]);
  INIT(Allreduce)
  (mine.data(), sums.data(), 1000, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[sum]);
  MPI_Send_init(sent.data(), 20000, MPI_INT, right, 1, comm, &requests[send]);
  MPI_Recv_init(came.data(), 20000, MPI_INT, left, 1, comm, &requests[receive]);
  INIT(Barrier)(comm, MPI_INFO_NULL, &requests[barrier]);
  MPI_Type_free(&row);
  MPI_Comm_free(&comm);

  int flag = 0;
  int index = 0;
  MPI_Waitany(number, requests.data(), &index, MPI_STATUS_IGNORE);
  expect(index == MPI_UNDEFINED, "requests that are not started are complete");
  for (int run = 0; run < 12; ++run) {
    std::ranges::fill(cast, rank == 0 ? run : -1);
    std::ranges::fill(mine, rank + run);
    std::ranges::fill(sent, rank * run);
    if (run % 3 == 0) {
      MPI_Startall(number, requests.data());
    } else {
      // Ranks may start them in different orders.
      for (int i = 0; i < number; ++i) MPI_Start(&requests[at((i + rank + run) % number)]);
    }
    std::vector<MPI_Status> statuses(number);
    std::vector<int> indices(number);
    int done = 0;
    switch (run % 6) {
      case 0: MPI_Waitall(number, requests.data(), MPI_STATUSES_IGNORE); break;
      case 1: MPI_Waitall(number, requests.data(), statuses.data()); break;
      case 2:
        for (int i = 0; i < number; ++i) {
          MPI_Waitany(number, requests.data(), &index, &statuses[0]);
          expect(index != MPI_UNDEFINED, "as many complete as were started");
        }
        break;
      case 3:
        while (done < number) {
          int some = 0;
          MPI_Waitsome(number, requests.data(), &some, indices.data(), statuses.data());
          done += some;
        }
        break;
      case 4:
        for (flag = 0; flag == 0;) MPI_Request_get_status(requests[broadcast], &flag, &statuses[0]);
        for (flag = 0; flag == 0;) MPI_Testall(number, requests.data(), &flag, statuses.data());
        break;
      default:
        for (MPI_Request& request : requests) {
          for (flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
    }
    expect(cast[998] == run && cast[999] == (rank == 0 ? run : -1), "a persistent broadcast");
    expect(sums[999] == ranks * (ranks - 1) / 2 + ranks * run, "a persistent all-reduction");
    expect(came[19999] == left * run, "a persistent message among collectives");
    for (const MPI_Request request : requests)
      expect(request != MPI_REQUEST_NULL, "a persistent request stays");
  }
  for (MPI_Request& request : requests) {
    MPI_Request_free(&request);
    expect(request == MPI_REQUEST_NULL, "a persistent request is freed");
  }
  // Handles are used again.
  for (int i = 0; i < 200; ++i) {
    MPI_Request request;
    int value = rank == i % ranks ? i : -1;
    INIT(Bcast)(&value, 1, MPI_INT, i % ranks, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (i % 4 != 3) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(value == i, "one of many persistent broadcasts");
    }
    MPI_Request_free(&request);
  }
}
#else
void persistent() {}
#endif

}  // namespace

int main(int argc, char** argv) {
  begin(argc, argv);
  all_kinds_of_communicators();
  between_groups();
  freed_in_use();
  persistent();
  return end();
}
