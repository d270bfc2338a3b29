#include "collectives/mpi/polls_of_mpi.hpp"

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

}  // namespace cuboid::detail
