#include "bindings/mpi/persistent_requests.hpp"

#include <cuboid/error.hpp>

#include "bindings/dropin/communicator_record.hpp"
#include "bindings/dropin/progress.hpp"
#include "bindings/dropin/ticket_lock.hpp"
#include "bindings/mpi/requests.hpp"
#include "bindings/mpi/self.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace cuboid::detail::drop_in {

// MPI offers no persistent request that a library may complete: a generalized request ends with its
// first completion. The program's request is therefore a persistent receive of an empty message
// from this rank itself, on a communicator of the drop-in. MPI_Start starts the receive and the
// collective. When the collective is complete, the rank sends itself the message. So MPI's own
// functions wait for such requests, test them and look at them, in any list.

namespace {

struct Persistent {
  std::function<Look()> start;               // starts a run
  MPI_Request on_copies = MPI_REQUEST_NULL;  // the request that `start` starts, if there is one
  int tag = 0;
};

/// The registry is never destroyed, because the program may free requests until MPI ends.
struct Registry {
  std::mutex mutex;
  std::map<MPI_Request, std::shared_ptr<Persistent>> requests;
  std::set<int> tags;
  int next_tag = 0;
  MPI_Comm self = MPI_COMM_NULL;
  std::atomic<bool> has_any = false;
};

Registry& registry() {
  static Registry& one = *new Registry;
  return one;
}

void forget_all() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const std::lock_guard guard(cuboid_lock());
  all.has_any = false;
  all.requests.clear();
  // waits: for nobody, it is this rank's alone
  if (all.self != MPI_COMM_NULL) PMPI_Comm_free(&all.self);
}

int take_tag(Registry& all) {
  constexpr int most = 32768;  // every MPI allows tags below this
  if (all.tags.size() == most)
    throw Error(ErrorCode::unsupported, "too many persistent collectives at once");
  while (!all.tags.insert(all.next_tag).second) all.next_tag = (all.next_tag + 1) % most;
  return std::exchange(all.next_tag, (all.next_tag + 1) % most);
}

std::shared_ptr<Persistent> find(MPI_Request request) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.requests.find(request);
  return found != all.requests.end() ? found->second : nullptr;
}

/// Completes the program's request. After a failure it sends a byte too many, which makes the
/// receive fail.
void tell_program(const Persistent& persistent, bool failed) {
  static const char byte = 0;
  MPI_Request sent = MPI_REQUEST_NULL;
  PMPI_Isend(&byte, failed ? 1 : 0, MPI_BYTE, 0, persistent.tag, registry().self, &sent);
  PMPI_Request_free(&sent);
}

/// Returns true if the run is complete. The caller must hold the lock.
bool look_at(const Persistent& persistent, const Look& look) {
  bool failed = true;
  try {
    const std::optional<int> code = look();
    if (!code) return false;
    failed = *code != MPI_SUCCESS;
  } catch (...) {
    code_of_current_exception();
  }
  tell_program(persistent, failed);
  return true;
}

void run(const std::shared_ptr<Persistent>& persistent) {
  try {
    Look look = persistent->start();
    const std::lock_guard guard(cuboid_lock());
    look_at_every_turn([persistent, look = std::move(look)] { return look_at(*persistent, look); });
  } catch (...) {
    code_of_current_exception();
    tell_program(*persistent, true);
  }
}

int make_persistent(Persistent made, MPI_Request* request) {
  Registry& all = registry();
  at_finalize(&forget_all);
  const std::lock_guard lock(all.mutex);
  if (all.self == MPI_COMM_NULL) all.self = make_self();
  const auto persistent = std::make_shared<Persistent>(std::move(made));
  persistent->tag = take_tag(all);
  const int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, persistent->tag, all.self, request);
  if (code != MPI_SUCCESS) return code;
  all.requests[*request] = persistent;
  all.has_any = true;
  return MPI_SUCCESS;
}

}  // namespace

int make_persistent(Communicator ours, Job job, MPI_Request* request) {
  const auto start = [ours = std::move(ours), job = std::move(job)]() -> Look {
    const std::lock_guard guard(cuboid_lock());
    const auto run = std::make_shared<Request>(job.start(ours));
    return [run, finish = job.finish]() -> std::optional<int> {
      if (!run->test()) return std::nullopt;
      if (finish) finish();
      return MPI_SUCCESS;
    };
  };
  return make_persistent({start}, request);
}

int persistent_on_host_copies(MPI_Comm comm, MPI_Request* request, const CallOnCopies& call) {
  try {
    if (!mpi_gives_turns() || !starts_requests()) {
      throw Error(ErrorCode::unsupported,
                  "a persistent collective on a buffer on a device: this MPI is not CUDA-aware, "
                  "and its requests cannot be the drop-in's; use the blocking call, or copy the "
                  "buffer to the host's memory");
    }
    const auto copies = std::make_shared<HostCopies>(comm);
    MPI_Request on_copies = MPI_REQUEST_NULL;
    const int code = call(*copies, request == nullptr ? nullptr : &on_copies);
    if (code != MPI_SUCCESS || request == nullptr) return code;
    begin_turns();
    const auto start = [=]() mutable -> Look {
      copies->load();
      const int started = start_request(&on_copies);
      if (started != MPI_SUCCESS) return [=] { return started; };
      return [=]() mutable { return store_when_complete(*copies, on_copies); };
    };
    return make_persistent({start, on_copies}, request);
  } catch (...) {
    return report_current_exception(comm);
  }
}

int start_request(MPI_Request* request) {
  if (!registry().has_any.load(std::memory_order_relaxed) || request == nullptr) [[likely]]
    return PMPI_Start(request);
  const auto persistent = find(*request);
  const int code = PMPI_Start(request);
  if (persistent && code == MPI_SUCCESS) run(persistent);
  return code;
}

int start_requests(int count, MPI_Request* requests) {
  const int code = PMPI_Startall(count, requests);
  if (!registry().has_any.load(std::memory_order_relaxed) || code != MPI_SUCCESS) [[likely]]
    return code;
  for (int i = 0; i < count; ++i) {
    if (const auto persistent = find(requests[i])) run(persistent);
  }
  return MPI_SUCCESS;
}

int free_request(MPI_Request* request) {
  if (!registry().has_any.load(std::memory_order_relaxed) || request == nullptr) [[likely]]
    return PMPI_Request_free(request);
  const MPI_Request handle = *request;
  std::shared_ptr<Persistent> last;
  {
    // The native MPI may give the handle to another request as soon as this request is freed.
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto found = all.requests.find(handle);
    if (found != all.requests.end()) {
      last = std::move(found->second);
      all.requests.erase(found);
      all.tags.erase(last->tag);
      all.has_any = !all.requests.empty();
    }
  }
  const int code = PMPI_Request_free(request);
  if (last && last->on_copies != MPI_REQUEST_NULL) free_request(&last->on_copies);
  const std::lock_guard guard(cuboid_lock());
  last.reset();
  return code;
}

}  // namespace cuboid::detail::drop_in
