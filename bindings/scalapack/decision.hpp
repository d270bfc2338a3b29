#pragma once

#include "bindings/dropin/decision.hpp"
#include "bindings/scalapack/choices.hpp"
#include "bindings/scalapack/context.hpp"

#include <functional>

namespace cuboid::detail::scalapack {

using drop_in::Decision;
using drop_in::Reason;

/// Decides which side carries a call whose arguments Cuboid can serve; the same on all ranks of the
/// context. May communicate; then all ranks do.
/// @param predict  the predicted seconds of Cuboid; called once there is a shadow communicator, on
/// all ranks, while holding the lock.
Decision decide(Context& context, const CallClass& its_class,
                const std::function<double()>& predict);

/// Reports the time of a call. Collective if the ranks must agree on times.
void took(Context& context, const Decision& decision, double seconds);

}  // namespace cuboid::detail::scalapack
