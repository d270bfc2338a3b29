#pragma once

#include "bindings/dropin/decision.hpp"
#include "bindings/scalapack/calls/choices.hpp"
#include "bindings/scalapack/calls/context.hpp"

#include <functional>

namespace cuboid::detail::scalapack {

using drop_in::Decision;
using drop_in::Reason;

/// Decides which side carries a call whose arguments Cuboid can serve. The same on all ranks of the
/// context. It may communicate; then all ranks do.
/// @param predict  returns the predicted seconds of Cuboid. It is called on all ranks, while
///                 holding the lock, when there is a shadow communicator.
Decision decide(Context& context, const CallClass& its_class,
                const std::function<double()>& predict);

/// Reports the time of a call. Collective if the ranks must agree on times.
void took(Context& context, const Decision& decision, double seconds);

/// Counts a call for the table that rank 0 prints at the end of MPI (CUBOID_LOG=info).
void count(const CallClass& its_class, const Decision& decision, double seconds);

}  // namespace cuboid::detail::scalapack
