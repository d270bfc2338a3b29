#include "bindings/scalapack_choice/beneath.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

namespace cuboid::detail::scalapack {

namespace {

/// The file from which an address was loaded.
const void* base_of(const void* address) {
  Dl_info info = {};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

int is_for_long_integers(dl_phdr_info* library, std::size_t, void*) {
  const std::string_view name = library->dlpi_name == nullptr ? "" : library->dlpi_name;
  return name.find("scalapack_ilp64") != name.npos || name.find("scalapack64") != name.npos ? 1 : 0;
}

}  // namespace

void* find_beneath(const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const first = dlsym(RTLD_DEFAULT, name);
  const bool own = base_of(first) == base_of(reinterpret_cast<const void*>(&is_for_long_integers));
  return own ? nullptr : first;
}

void* require_beneath(const char* name) {
  if (void* const found = find_beneath(name)) return found;
  std::fprintf(stderr,
               "cuboid-scalapack: the program provides no %s: link ScaLAPACK as a shared "
               "library\n",
               name);
  std::abort();
}

bool has_long_integers() {
  static const bool long_integers = dl_iterate_phdr(&is_for_long_integers, nullptr) != 0;
  return long_integers;
}

}  // namespace cuboid::detail::scalapack
