#pragma once

#include "bindings/dropin/online_trial.hpp"
#include "bindings/dropin/reason.hpp"

#include <optional>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Which side carries a call, and why.
struct Decision {
  OnlineTrial::Contender side = OnlineTrial::Contender::theirs;
  Reason reason = Reason::not_served;
  OnlineTrial* trial = nullptr;  ///< the trial to which the call's time belongs
  /// The number of calls that this call's time represents; 0: it need not be measured.
  int stands_for = 0;
};

/// Reports the time of a call to the decision's trial, if there is one. If the ranks must then
/// agree on times, the call is collective and returns the times of the slowest rank, by side.
std::optional<OnlineTrial::Times> report_time(const Decision& decision, MPI_Comm communicator,
                                              double seconds);

}  // namespace cuboid::detail::drop_in
