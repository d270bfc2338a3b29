#pragma once

#include <cuboid/local_gemm.hpp>

#include "bindings/mpi_choice/gate.hpp"
#include "bindings/scalapack/context.hpp"
#include "bindings/scalapack/decision.hpp"
#include "bindings/scalapack/settings.hpp"
#include "bindings/scalapack/summary.hpp"

#include <exception>
#include <functional>

#include <mpi.h>

namespace cuboid::detail::scalapack {

/// The local multiplication of this process. Throws what LocalGemm::open() does.
const LocalGemm& local_gemm();

/// Tells what went wrong after the program's matrices may have changed, and ends all its processes.
[[noreturn]] void give_up(const Context& context, const std::exception& error);

/// Cuboid's turn. All ranks come together within MPI first: it gets on while they wait, and a
/// message of the program's may be what one of them still waits for.
template <class Run>
void run_ours(const Context& context, const Run& run) {
  PMPI_Barrier(context.communicator);
  const drop_in::Inside inside;
  try {
    run();
  } catch (const std::exception& error) {
    give_up(context, error);
  }
}

/// Serves a call whose arguments are served, the same on all ranks of the context.
template <class Ours, class Theirs>
void serve(Context& context, const CallClass& its_class, const std::function<double()>& predict,
           const Ours& ours, const Theirs& theirs) {
  const Decision decision = decide(context, its_class, predict);
  const double begin = decision.timed || settings().counts ? PMPI_Wtime() : 0;
  if (decision.side == drop_in::Contest::Side::theirs) {
    theirs();
  } else {
    run_ours(context, ours);
  }
  const double seconds = decision.timed || settings().counts ? PMPI_Wtime() - begin : 0;
  if (settings().counts) count(its_class, decision, seconds);
  if (decision.timed) took(context, decision, seconds);
}

}  // namespace cuboid::detail::scalapack
