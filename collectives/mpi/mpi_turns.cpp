#include "collectives/mpi/mpi_turns.hpp"

#include <chrono>

#include <dlfcn.h>
#include <mpi.h>

namespace cuboid::detail {

namespace {

/// Registers or removes a progress callback of Open MPI. Its symbols are public, but the header is
/// not installed.
using Registration = int (*)(int (*)());

/// Looks for a function in MPI's library and the libraries that it needs. Looking in the whole
/// process would not find it from an extension of Python.
Registration registration(const char* name) {
  Dl_info mpi{};
  if (dladdr(reinterpret_cast<const void*>(&PMPI_Iprobe), &mpi) == 0) return nullptr;
  void* const library = dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const found = dlsym(library, name);
  dlclose(library);
  return reinterpret_cast<Registration>(found);
}

}  // namespace

bool mpi_gives_turns() {
  static const bool does = registration("opal_progress_register") != nullptr &&
                           registration("opal_progress_unregister") != nullptr;
  return does;
}

void take_turns(int (*turn)()) {
  registration("opal_progress_register")(turn);
}

void take_no_more_turns(int (*turn)()) {
  registration("opal_progress_unregister")(turn);
}

namespace {

bool may_call_mpi() {
  int finalised = 0;
  PMPI_Finalized(&finalised);
  if (finalised != 0) return false;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return true;
  int is_main = 0;
  PMPI_Is_thread_main(&is_main);
  return is_main != 0;
}

}  // namespace

void MpiTurns::give(Clock::time_point now) {
  constexpr std::chrono::milliseconds between{1};
  if (now < next_) return;
  next_ = now + between;
  if (!may_call_mpi()) return;
  int any = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &any, MPI_STATUS_IGNORE);
}

}  // namespace cuboid::detail
