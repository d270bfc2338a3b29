#include "cases.hpp"

#include <algorithm>

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
