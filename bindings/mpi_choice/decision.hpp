#pragma once

#include "bindings/mpi_choice/called.hpp"
#include "bindings/mpi_choice/contest.hpp"
#include "bindings/mpi_choice/followed.hpp"
#include "bindings/mpi_choice/reason.hpp"

#include <cstddef>

#include <mpi.h>

namespace cuboid::detail::drop_in {

struct Decision {
  Contest::Side side = Contest::Side::theirs;
  Reason reason = Reason::short_message;
  Contest* contest = nullptr;  ///< that the call's time belongs to
  /// For how many calls this one's time stands; 0: it need not be taken.
  int stands_for = 0;
};

/// The length of a blocking call that all ranks go by: `bytes`, where all know that alike, else
/// what they expect of such calls by now. May communicate, as all ranks then do.
std::size_t common_length(Followed& followed, MPI_Comm communicator, Called called,
                          std::size_t bytes);

/// Counts a blocking call, and says whether there is nothing to decide about it: no counterpart
/// yet, and not the time to think of one. Quick; the same on all ranks.
bool passes_unthought(Followed& followed, Called called, std::size_t bytes);

/// Who carries a blocking call that is counted: the same on all ranks. May communicate, as all
/// ranks then do.
Decision decide_blocking(Followed& followed, MPI_Comm communicator, Called called,
                         std::size_t bytes);
/// The same of a non-blocking one. Never communicates: goes by what blocking ones have settled.
Decision decide_non_blocking(const Followed& followed, Called called, std::size_t bytes);

/// Tells how long a blocking call took. Collective where a contest is under way.
void took(Followed& followed, MPI_Comm communicator, const Decision& decision, double seconds);

}  // namespace cuboid::detail::drop_in
