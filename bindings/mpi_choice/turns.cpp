#include "bindings/mpi_choice/turns.hpp"

#include <dlfcn.h>

namespace cuboid::detail::drop_in {

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
  registration("opal_progress_register")(turn);
}

void take_no_more_turns(int (*turn)()) {
  registration("opal_progress_unregister")(turn);
}

}  // namespace cuboid::detail::drop_in
