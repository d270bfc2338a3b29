// Communicators that are freed beside non-blocking collectives, which must complete as if they were
// not (MPI 3.1, §6.4.3): of all kinds and lengths, beside blocking ones that compete, with ranks
// that come late. Prints what is wrong; returns the number of mistakes, at most 99. To be run under
// the drop-in in every mode: Open MPI 4.1 by itself crashes.

#include "expect.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

namespace {

/// What a call needs, and whether it has come out right.
struct Call {
  explicit Call(int number)
      : count(number), mine(at(count * ranks), rank + 1), all(at(count * ranks), -1) {}
  int count;
  std::vector<int> mine, all;
  MPI_Request request = MPI_REQUEST_NULL;

  int sum() const { return ranks * (ranks + 1) / 2; }
  int last_of_all() const { return all.back(); }
  int last() const { return all[at(count - 1)]; }
};

struct Kind {
  std::function<void(Call&, MPI_Comm)> start;
  std::function<bool(const Call&)> right;
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all = {
      {"Iallreduce",
       {[](Call& call, MPI_Comm comm) {
          MPI_Iallreduce(call.mine.data(), call.all.data(), call.count, MPI_INT, MPI_SUM, comm,
                         &call.request);
        },
        [](const Call& call) { return call.last() == call.sum(); }}},
      {"Ireduce",
       {[](Call& call, MPI_Comm comm) {
          MPI_Ireduce(call.mine.data(), call.all.data(), call.count, MPI_INT, MPI_SUM, 0, comm,
                      &call.request);
        },
        [](const Call& call) { return rank != 0 || call.last() == call.sum(); }}},
      {"Ibcast",
       {[](Call& call, MPI_Comm comm) {
          MPI_Ibcast(call.mine.data(), call.count, MPI_INT, ranks - 1, comm, &call.request);
        },
        [](const Call& call) { return call.mine[at(call.count - 1)] == ranks; }}},
      {"Iallgather",
       {[](Call& call, MPI_Comm comm) {
          MPI_Iallgather(call.mine.data(), call.count, MPI_INT, call.all.data(), call.count,
                         MPI_INT, comm, &call.request);
        },
        [](const Call& call) { return call.last_of_all() == ranks; }}},
      {"Ialltoall",
       {[](Call& call, MPI_Comm comm) {
          MPI_Ialltoall(call.mine.data(), call.count, MPI_INT, call.all.data(), call.count, MPI_INT,
                        comm, &call.request);
        },
        [](const Call& call) { return call.last_of_all() == ranks; }}},
      {"Ibarrier",
       {[](Call& call, MPI_Comm comm) { MPI_Ibarrier(comm, &call.request); },
        [](const Call&) { return true; }}}};
  return all;
}

enum class Before { nothing, competition };
enum class Between { nothing, blocking, late };

/// Blocking calls, of which the drop-in carries some and leaves others to MPI.
void compete(MPI_Comm comm) {
  std::vector<double> numbers(20000, 1);
  for (int call = 0; call < 4; ++call)
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), 20000, MPI_DOUBLE, MPI_MAX, comm);
  expect(numbers.back() == 1, "a blocking call");
}

void free_beside(const std::string& name, const Kind& kind, int count, Before before,
                 Between between) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (before == Before::competition) compete(comm);
  if (between == Between::late && rank == ranks - 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  Call first(count);
  Call second(count);
  kind.start(first, comm);
  if (between == Between::blocking) compete(comm);
  kind.start(second, comm);
  MPI_Comm_free(&comm);
  expect(comm == MPI_COMM_NULL, "a communicator is freed");
  if (before == Before::competition) compete(MPI_COMM_WORLD);
  MPI_Wait(&first.request, MPI_STATUS_IGNORE);
  MPI_Wait(&second.request, MPI_STATUS_IGNORE);
  expect(kind.right(first) && kind.right(second),
         name + " of " + std::to_string(count) + " on a communicator that is freed");
}

}  // namespace

int main(int argc, char** argv) {
  begin(argc, argv);
  for (const auto& [name, kind] : kinds()) {
    for (const int count : {1, 1000, 30000}) {
      for (const Before before : {Before::nothing, Before::competition}) {
        for (const Between between : {Between::nothing, Between::blocking, Between::late})
          free_beside(name, kind, count, before, between);
      }
    }
  }
  return end();
}
