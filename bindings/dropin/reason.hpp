#pragma once

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

}  // namespace cuboid::detail::drop_in
