#pragma once

#include "bindings/mpi_choice/contest.hpp"
#include "bindings/mpi_choice/reason.hpp"
#include "bindings/scalapack_choice/choices.hpp"
#include "bindings/scalapack_choice/context.hpp"

#include <functional>

namespace cuboid::detail::scalapack {

using drop_in::Reason;

struct Decision {
  drop_in::Contest::Side side = drop_in::Contest::Side::theirs;
  Reason reason = Reason::not_served;
  drop_in::Contest* contest = nullptr;  ///< that the call's time belongs to
  bool timed = false;
};

/// Who carries a call whose arguments are served: the same on all ranks of the context. May
/// communicate, as all ranks then do.
/// @param predict  Cuboid's seconds by its models; called once there is a counterpart, on all
///                 ranks, inside the gate.
Decision decide(Context& context, const CallClass& its_class,
                const std::function<double()>& predict);

/// Tells how long the call took. Collective where something is to be agreed on.
void took(Context& context, const Decision& decision, double seconds);

}  // namespace cuboid::detail::scalapack
