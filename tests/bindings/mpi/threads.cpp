// Threads that make collectives at once, each on a communicator of its own (MPI_THREAD_MULTIPLE).
// Returns the number of wrong results.

#include <atomic>
#include <thread>
#include <vector>

#include <mpi.h>

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    return 0;
  }
  constexpr int threads = 3;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<MPI_Comm> communicators(threads);
  for (MPI_Comm& communicator : communicators) MPI_Comm_dup(MPI_COMM_WORLD, &communicator);

  std::atomic<int> wrong = 0;
  std::vector<std::thread> all;
  for (int number = 0; number < threads; ++number) {
    all.emplace_back([&, number] {
      MPI_Comm comm = communicators[static_cast<std::size_t>(number)];
      for (int turn = 0; turn < 10; ++turn) {
        std::vector<int> values(2000, rank + number);
        MPI_Allreduce(MPI_IN_PLACE, values.data(), 2000, MPI_INT, MPI_SUM, comm);
        if (values[1999] != size * (size - 1) / 2 + size * number) ++wrong;
        MPI_Request request;
        MPI_Ibcast(values.data(), 2000, MPI_INT, turn % size, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        values.assign(2000, rank == turn % size ? turn : -1);
        MPI_Bcast(values.data(), 2000, MPI_INT, turn % size, comm);
        if (values[1000] != turn) ++wrong;
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  for (MPI_Comm& communicator : communicators) MPI_Comm_free(&communicator);
  const int mine = wrong;
  int most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return most;
}
