#pragma once

#include "bindings/dropin/online_trial.hpp"

#include <optional>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// The reason why a drop-in handed a call on or took it over.
enum class Reason {
  short_message,    ///< too few bytes for a decision to pay
  not_wanted,       ///< switched off by the environment, or after MPI_Finalize
  not_served,       ///< only the native library can serve, or reject, these arguments
  nothing_to_gain,  ///< one rank, an intercommunicator, or no shadow communicator possible
  too_soon,         ///< too little time has been spent for a shadow communicator to pay
  trial,            ///< the two sides alternate to find out which one is faster
  quicker,          ///< this side was faster, or is predicted to be
  forced,           ///< by the environment
};

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
