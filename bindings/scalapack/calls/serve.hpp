#pragma once

#include <cuboid/local_lapack.hpp>

#include "bindings/dropin/ticket_lock.hpp"
#include "bindings/scalapack/calls/context.hpp"
#include "bindings/scalapack/calls/decision.hpp"
#include "bindings/scalapack/calls/settings.hpp"

#include <exception>
#include <functional>

#include <mpi.h>

namespace cuboid::detail::scalapack {

/// This process's local gemm and LAPACK. The ranks of the `first` communicator that asks share the
/// node's devices. Errors as in LocalGemm::open() and LocalLapack::open().
const LocalGemm& local_gemm(const Communicator& first);
const LocalKernels& local_kernels(const Communicator& first);

/// Reports an error after which the program's matrices may be incomplete, and ends all of the
/// program's processes.
[[noreturn]] void give_up(const Context& context, const std::exception& error);

/// Lets Cuboid carry the call. All ranks first meet in an MPI barrier: MPI makes progress while
/// they wait, and a rank may still wait for one of the program's messages.
/// @param prepare  may throw on all ranks, before anything has changed; the result is then false.
template <class Prepare, class Run>
bool run_ours(const Context& context, const Prepare& prepare, const Run& run) {
  // waits: in the program's own call, whose ranks all come
  PMPI_Barrier(context.communicator);
  const std::lock_guard guard(drop_in::cuboid_lock());
  try {
    prepare();
  } catch (const std::exception&) {
    return false;
  }
  try {
    run();
  } catch (const std::exception& error) {
    give_up(context, error);
  }
  return true;
}

/// Serves a call whose arguments Cuboid can serve. The same on all ranks of the context. If Cuboid
/// tried a call and had to hand it on, all of its time counts against Cuboid. So a kind of calls
/// that is always handed on in the end is soon not tried any more.
template <class Prepare, class Run, class Theirs>
void serve(Context& context, const CallClass& its_class, const std::function<double()>& predict,
           const Prepare& prepare, const Run& run, const Theirs& theirs) {
  const Decision decision = decide(context, its_class, predict);
  const bool timed = decision.stands_for > 0 || settings().counts;
  const double begin = timed ? PMPI_Wtime() : 0;
  const bool tried = decision.side == drop_in::OnlineTrial::Contender::ours;
  const bool carried = tried && run_ours(context, prepare, run);
  if (!carried) theirs();
  const double seconds = timed ? PMPI_Wtime() - begin : 0;
  const bool refused = tried && !carried;
  if (settings().counts)
    count(its_class, refused ? Decision{.reason = Reason::not_served} : decision, seconds);
  if (decision.stands_for > 0) took(context, decision, seconds);
}

}  // namespace cuboid::detail::scalapack
