#include "bindings/mpi/freed_communicators.hpp"

#include "bindings/dropin/communicator_record.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>

namespace cuboid::detail::drop_in {

namespace {

std::atomic<bool> handed_on = false;

#ifdef OPEN_MPI
/// The most communicators that are kept. Each has a number, of which MPI libraries have some
/// thousands.
constexpr std::size_t most_kept = 64;

/// The object is never destroyed, because MPI may free communicators until the process ends.
struct Kept {
  std::mutex mutex;
  std::deque<MPI_Request> holders;  // the oldest one first
};

Kept& kept() {
  static Kept& one = *new Kept;
  return one;
}

void release_beyond(std::size_t most) {
  Kept& all = kept();
  std::deque<MPI_Request> released;
  {
    const std::lock_guard lock(all.mutex);
    for (; all.holders.size() > most; all.holders.pop_front())
      released.push_back(all.holders.front());
  }
  for (MPI_Request& holder : released) PMPI_Request_free(&holder);
}

/// Keeps a communicator alive by a persistent request on it that is never started.
void keep(MPI_Comm communicator) {
  MPI_Request holder = MPI_REQUEST_NULL;
  const int code =
      PMPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, &holder);
  if (code != MPI_SUCCESS) return;
  at_finalize([] { release_beyond(0); });
  {
    const std::lock_guard lock(kept().mutex);
    kept().holders.push_back(holder);
  }
  release_beyond(most_kept);
}
#else
void keep(MPI_Comm) {}
#endif

}  // namespace

void note_request_handed_on() {
  handed_on.store(true, std::memory_order_relaxed);
}

int comm_free(MPI_Comm* communicator) {
  const bool may_be_in_use = handed_on.load(std::memory_order_relaxed) && !finalized();
  if (may_be_in_use && communicator != nullptr && *communicator != MPI_COMM_NULL &&
      *communicator != MPI_COMM_WORLD && *communicator != MPI_COMM_SELF)
    keep(*communicator);
  return PMPI_Comm_free(communicator);  // waits: in the program's own call, as MPI does in it
}

}  // namespace cuboid::detail::drop_in
