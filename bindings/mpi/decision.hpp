#pragma once

#include "bindings/dropin/called.hpp"
#include "bindings/dropin/communicator_record.hpp"
#include "bindings/dropin/decision.hpp"

#include <cstddef>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// The length of a blocking call on which all ranks base their decision: `bytes` if all ranks know
/// the length, otherwise the expected length of such calls. May communicate; then all ranks do.
std::size_t common_length(CommunicatorRecord& record, MPI_Comm communicator, Called called,
                          std::size_t bytes);
/// The same for a non-blocking call. Never communicates, because blocking calls also agree on the
/// lengths of the last non-blocking calls.
std::size_t common_length_of_request(CommunicatorRecord& record, Called called, std::size_t bytes);

/// The same for a persistent call, when it is created: the greatest length over all ranks.
std::size_t common_length_of_persistent(MPI_Comm communicator, Called called, std::size_t bytes);

/// Counts a blocking call. Returns true if there is nothing to decide, because there is no shadow
/// communicator yet and it is too early to make one. Fast; the same on all ranks.
bool passes_unthought(CommunicatorRecord& record, Called called, std::size_t bytes);

/// Decides which side carries a blocking call that has been counted; the same on all ranks. May
/// communicate; then all ranks do.
Decision decide_blocking(CommunicatorRecord& record, MPI_Comm communicator, Called called,
                         std::size_t bytes);
/// Decides which side carries a non-blocking call. Never communicates: it uses what blocking calls
/// have settled.
Decision decide_non_blocking(const CommunicatorRecord& record, Called called, std::size_t bytes);

/// Decides, when a persistent call is created, which side carries all its runs; the same on all
/// ranks. It uses what blocking calls have settled. May communicate; then all ranks do.
Decision decide_persistent(CommunicatorRecord& record, MPI_Comm communicator, Called called,
                           std::size_t bytes);

/// Reports the time of a blocking call. Collective while a trial is under way.
void took(CommunicatorRecord& record, MPI_Comm communicator, const Decision& decision,
          double seconds);

}  // namespace cuboid::detail::drop_in
