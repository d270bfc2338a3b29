#pragma once

namespace cuboid::detail::drop_in {

/// Why a call of a drop-in went where it went.
enum class Reason {
  short_message,    ///< fewer bytes than it pays to think about
  not_wanted,       ///< switched off by the environment, or after MPI_Finalize
  not_served,       ///< arguments that only the library beneath can serve, or refuse
  nothing_to_gain,  ///< one rank, an intercommunicator, no counterpart to be had
  too_soon,         ///< too little time has been spent yet for a counterpart to pay
  contest,          ///< by turns with the other side, to see who is quicker
  quicker,          ///< this side was, or is predicted to be
  forced,           ///< by the environment
};

}  // namespace cuboid::detail::drop_in
