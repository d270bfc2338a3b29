#include "bindings/mpi/requests.hpp"

#include <cuboid/error.hpp>

#include "bindings/dropin/progress.hpp"
#include "bindings/dropin/ticket_lock.hpp"

#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <set>
#include <utility>

namespace cuboid::detail::drop_in {

namespace {

int code_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid_argument: return MPI_ERR_ARG;
    case ErrorCode::mismatch: return MPI_ERR_TRUNCATE;
    case ErrorCode::out_of_memory: return MPI_ERR_NO_MEM;
    default: return MPI_ERR_OTHER;
  }
}

/// A generalized request. MPI and the list of looks share its ownership.
struct Completion {
  Look look;
  MPI_Request handle = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
};

/// A non-blocking call of Cuboid's under way.
struct Pending {
  Job job;
  Communicator ours;
  std::shared_ptr<CallsInOrder> order;
  std::optional<Request> request = {};  // empty until the call is started
  std::uint64_t number = 0;             // valid once the call is started
  std::exception_ptr failure = {};      // of the start
};

}  // namespace

/// Cuboid distinguishes a communicator's calls by numbers that repeat after 256 calls, and waits if
/// a number is still in use. A non-blocking call must not wait. So it is started later, and the
/// calls after it are, too.
struct CallsInOrder {
  std::uint64_t started = 0;
  std::set<std::uint64_t> under_way;  // numbers of the calls under way
  std::deque<std::shared_ptr<Pending>> to_start;

  bool may_start() const {
    constexpr std::uint64_t most = 200;
    return under_way.empty() || started - *under_way.begin() < most;
  }
};

namespace {

int query(void* state, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return static_cast<std::shared_ptr<Completion>*>(state)->get()->code;
}

int release(void* state) {
  delete static_cast<std::shared_ptr<Completion>*>(state);
  return MPI_SUCCESS;
}

int cancel(void*, int) {
  return MPI_SUCCESS;  // no collective can be cancelled, so the call continues
}

void start_now(Pending& pending) {
  pending.request = pending.job.start(pending.ours);
  pending.number = pending.order->started++;
  pending.order->under_way.insert(pending.number);
}

/// Starts the calls that can start now, in order. The caller must hold the lock.
void start_waiting(CallsInOrder& order) {
  while (!order.to_start.empty() && order.may_start()) {
    const auto next = std::move(order.to_start.front());
    order.to_start.pop_front();
    try {
      start_now(*next);
    } catch (...) {
      next->failure = std::current_exception();
    }
  }
}

std::optional<int> look_at(Pending& pending) {
  start_waiting(*pending.order);
  if (pending.failure) std::rethrow_exception(pending.failure);
  if (!pending.request) return std::nullopt;
  const auto end = [&] {
    pending.request.reset();
    pending.order->under_way.erase(pending.number);
  };
  try {
    if (!pending.request->test()) return std::nullopt;
    if (pending.job.finish) pending.job.finish();
  } catch (...) {
    end();
    throw;
  }
  end();
  return MPI_SUCCESS;
}

const std::shared_ptr<CallsInOrder>& calls_of(CommunicatorRecord& record) {
  if (!record.calls) record.calls = std::make_shared<CallsInOrder>();
  return record.calls;
}

}  // namespace

int code_of_current_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    std::fprintf(stderr, "cuboid-mpi: %s\n", error.what());
    return code_of(error);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "cuboid-mpi: out of memory\n");
    return MPI_ERR_NO_MEM;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuboid-mpi: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "cuboid-mpi: unknown exception\n");
  }
  return MPI_ERR_INTERN;
}

int report_current_exception(MPI_Comm communicator) noexcept {
  const int code = code_of_current_exception();
  PMPI_Comm_call_errhandler(communicator, code);
  return code;
}

int run(CommunicatorRecord& record, MPI_Comm communicator, Job& job) {
  try {
    Request request;
    {
      const std::lock_guard guard(cuboid_lock());
      request = job.start(*record.ours);
    }
    wait_for(request);
    if (job.finish) job.finish();
    return MPI_SUCCESS;
  } catch (...) {
    return report_current_exception(communicator);
  }
}

int make_request(Look look, MPI_Request* request) {
  auto completion = std::make_shared<Completion>(Completion{std::move(look)});
  const int status = PMPI_Grequest_start(
      &query, &release, &cancel, new std::shared_ptr<Completion>(completion), &completion->handle);
  if (status != MPI_SUCCESS) return status;
  *request = completion->handle;
  look_at_every_turn([completion = std::move(completion)] {
    try {
      const std::optional<int> code = completion->look();
      if (!code) return false;
      completion->code = *code;
    } catch (...) {
      completion->code = code_of_current_exception();
    }
    PMPI_Grequest_complete(completion->handle);
    return true;
  });
  return MPI_SUCCESS;
}

int start(CommunicatorRecord& record, MPI_Comm communicator, Job job, MPI_Request* request) {
  try {
    const std::lock_guard guard(cuboid_lock());
    auto pending = std::make_shared<Pending>(
        Pending{std::move(job), *record.ours_for_requests, calls_of(record)});
    CallsInOrder& order = *pending->order;
    start_waiting(order);
    if (order.to_start.empty() && order.may_start()) {
      start_now(*pending);
    } else {
      order.to_start.push_back(pending);
    }
    return make_request([pending = std::move(pending)] { return look_at(*pending); }, request);
  } catch (...) {
    return report_current_exception(communicator);
  }
}

}  // namespace cuboid::detail::drop_in
