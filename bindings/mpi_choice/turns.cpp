#include "bindings/mpi_choice/turns.hpp"

#include <atomic>

#include <dlfcn.h>
#include <mpi.h>

namespace cuboid::detail::drop_in {

namespace {

std::atomic<int (*)()> turn_taken = nullptr;

}  // namespace

#ifdef CUBOID_MPI_HAS_ASYNC

namespace {

/// MPICH forgets the function that reports its end, and waits for that in MPI_Finalize.
int poll(MPIX_Async_thing) {
  const auto turn = turn_taken.load();
  if (turn == nullptr) return MPIX_ASYNC_DONE;
  turn();
  return MPIX_ASYNC_NOPROGRESS;
}

}  // namespace

bool mpi_gives_turns() {
  return true;
}

void take_turns(int (*turn)()) {
  turn_taken = turn;
  PMPIX_Async_start(&poll, nullptr, MPIX_STREAM_NULL);
}

void take_no_more_turns() {
  turn_taken = nullptr;
}

#else

namespace {

/// Open MPI's progress callbacks: the symbols are public, but the header is not installed.
using Registration = int (*)(int (*)());

Registration registration(const char* name) {
  return reinterpret_cast<Registration>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

bool mpi_gives_turns() {
  static const bool does = registration("opal_progress_register") != nullptr &&
                           registration("opal_progress_unregister") != nullptr;
  return does;
}

void take_turns(int (*turn)()) {
  turn_taken = turn;
  registration("opal_progress_register")(turn);
}

void take_no_more_turns() {
  registration("opal_progress_unregister")(turn_taken.exchange(nullptr));
}

#endif

}  // namespace cuboid::detail::drop_in
