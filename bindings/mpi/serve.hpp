#pragma once

#include "bindings/dropin/communicator_record.hpp"
#include "bindings/dropin/progress.hpp"
#include "bindings/dropin/settings.hpp"
#include "bindings/dropin/shadow_communicator.hpp"
#include "bindings/mpi/decision.hpp"
#include "bindings/mpi/job.hpp"
#include "bindings/mpi/persistent_requests.hpp"
#include "bindings/mpi/requests.hpp"
#include "bindings/mpi/summary.hpp"

#include <climits>
#include <cstddef>
#include <utility>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// True for calls that are too short for a decision, or too long for Cuboid.
inline bool is_out_of_bounds(Called called, std::size_t bytes) {
  return bytes < settings().least(called) || bytes > INT_MAX;
}

inline Reason reason_to_pass_by(Called called, std::size_t bytes) {
  const std::size_t least = settings().least(called);
  return bytes < least && least != MpiSettings::none ? Reason::short_message : Reason::not_wanted;
}

template <class Native>
[[gnu::always_inline]] inline int hand_on(Called called, std::size_t bytes, Reason reason,
                                          const Native& native) {
  if (settings().counts) [[unlikely]]
    count(called, bytes, {OnlineTrial::Contender::theirs, reason});
  return native();
}

/// True if a call is handed on without a decision, like most calls of a program.
inline bool passes_by(Called called, std::size_t local_bytes) {
  if (length_known_to_all(called)) return is_out_of_bounds(called, local_bytes);
  return settings().least(called) == MpiSettings::none;
}

/// The common part of all forms of a call that needs a decision. `serve_it` receives the record of
/// the communicator and a function that hands the call on for a reason. It first checks the
/// arguments, because a call that is wrong on one rank must not change what the ranks count or
/// agree on. The function is not inlined and takes functions by value, so that calls that pass by
/// set nothing up.
template <class Native, class Serve>
[[gnu::noinline]] int serve_recorded(Called called, std::size_t local_bytes, MPI_Comm comm,
                                     Native native, Serve serve_it) {
  if (comm == MPI_COMM_NULL) return native();
  CommunicatorRecord* const record = record_of(comm);
  if (record == nullptr) return hand_on(called, local_bytes, Reason::not_wanted, native);
  if (record->never) return hand_on(called, local_bytes, Reason::nothing_to_gain, native);
  try {
    return serve_it(*record, [&](std::size_t bytes, Reason reason) {
      return hand_on(called, bytes, reason, native);
    });
  } catch (...) {
    return report_current_exception(comm);
  }
}

/// Serves a blocking call.
/// @param local_bytes  the call's length if all ranks know it, otherwise this rank's part
/// @param valid        checks for a CallingRank that Cuboid can serve the arguments
/// @param make_job     makes the job for a CallingRank
/// @param native       calls the native MPI
template <class Valid, class MakeJob, class Native>
int serve(Called called, std::size_t local_bytes, MPI_Comm comm, Valid valid, MakeJob make_job,
          Native native) {
  if (passes_by(called, local_bytes)) [[likely]]
    return hand_on(called, local_bytes, reason_to_pass_by(called, local_bytes), native);
  return serve_recorded(
      called, local_bytes, comm, native,
      [=](CommunicatorRecord& record, const auto& hand_on_because) {
        if (length_known_to_all(called) && record.is_left_to_mpi(class_of(called, local_bytes)))
            [[likely]]
          return hand_on_because(local_bytes, Reason::quicker);
        const CallingRank here{record.rank, record.size, ByteBlocks::Life::call};
        if (!valid(here)) return hand_on_because(local_bytes, Reason::not_served);
        const std::size_t bytes = common_length(record, comm, called, local_bytes);
        if (is_out_of_bounds(called, bytes))
          return hand_on_because(bytes, reason_to_pass_by(called, bytes));
        if (record.is_left_to_mpi(class_of(called, bytes)))
          return hand_on_because(bytes, Reason::quicker);
        if (passes_unthought(record, called, bytes))
          return hand_on_because(bytes, Reason::too_soon);

        const Decision decision = decide_blocking(record, comm, called, bytes);
        if (settings().counts) count(called, bytes, decision);
        const double begin = decision.stands_for > 0 ? PMPI_Wtime() : 0;
        int code = MPI_SUCCESS;
        if (decision.side == OnlineTrial::Contender::theirs) {
          code = native();
        } else {
          Job job = make_job(here);
          code = run(record, comm, job);
        }
        if (decision.stands_for > 0) took(record, comm, decision, PMPI_Wtime() - begin);
        return code;
      });
}

/// Serves a non-blocking call. The parameters are those of the blocking form.
template <class Valid, class MakeJob, class Native>
int serve(Called called, std::size_t local_bytes, MPI_Comm comm, MPI_Request* request, Valid valid,
          MakeJob make_job, Native native) {
  if (request == nullptr) return native();
  if (passes_by(called, local_bytes)) [[likely]]
    return hand_on(called, local_bytes, reason_to_pass_by(called, local_bytes), native);
  return serve_recorded(
      called, local_bytes, comm, native,
      [=](CommunicatorRecord& record, const auto& hand_on_because) {
        const CallingRank here{record.rank, record.size, ByteBlocks::Life::request};
        if (!valid(here) || !mpi_gives_turns())
          return hand_on_because(local_bytes, Reason::not_served);
        const std::size_t bytes = common_length_of_request(record, called, local_bytes);
        if (is_out_of_bounds(called, bytes))
          return hand_on_because(bytes, reason_to_pass_by(called, bytes));
        const Decision decision = decide_non_blocking(record, called, bytes);
        if (decision.side == OnlineTrial::Contender::theirs)
          return hand_on_because(bytes, decision.reason);
        if (settings().counts) count(called, bytes, decision);
        return start(record, comm, make_job(here), request);
      });
}

/// Serves the creation of a persistent call. The parameters are those of the blocking form.
template <class Valid, class MakeJob, class Native>
int serve_persistent(Called called, std::size_t local_bytes, MPI_Comm comm, MPI_Request* request,
                     Valid valid, MakeJob make_job, Native native) {
  if (request == nullptr) return native();
  if (passes_by(called, local_bytes)) [[likely]]
    return hand_on(called, local_bytes, reason_to_pass_by(called, local_bytes), native);
  return serve_recorded(
      called, local_bytes, comm, native,
      [=](CommunicatorRecord& record, const auto& hand_on_because) {
        const CallingRank here{record.rank, record.size, ByteBlocks::Life::request};
        if (!valid(here) || !mpi_gives_turns() || !starts_requests())
          return hand_on_because(local_bytes, Reason::not_served);
        const std::size_t bytes = common_length_of_persistent(comm, called, local_bytes);
        if (is_out_of_bounds(called, bytes))
          return hand_on_because(bytes, reason_to_pass_by(called, bytes));
        const Decision decision = decide_persistent(record, comm, called, bytes);
        if (decision.side == OnlineTrial::Contender::theirs)
          return hand_on_because(bytes, decision.reason);
        auto ours = make_another(record, comm);
        if (!ours) return hand_on_because(bytes, Reason::nothing_to_gain);
        if (settings().counts) count(called, bytes, decision);
        return make_persistent(std::move(*ours), make_job(here), request);
      });
}

}  // namespace cuboid::detail::drop_in
