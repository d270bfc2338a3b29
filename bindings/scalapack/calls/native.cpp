#include "bindings/scalapack/calls/native.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <link.h>

namespace cuboid::detail::scalapack {

namespace {

/// The file from which an address was loaded.
const void* base_of(const void* address) {
  Dl_info info = {};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

bool is_own(const void* address) {
  return base_of(address) == base_of(reinterpret_cast<const void*>(&base_of));
}

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  const auto add = [](dl_phdr_info* library, std::size_t, void* all) {
    const char* const path = library->dlpi_name;
    if (path != nullptr && *path != 0) static_cast<std::vector<std::string>*>(all)->push_back(path);
    return 0;
  };
  dl_iterate_phdr(add, &paths);
  return paths;
}

/// Finds a function of a library that only a part of the program sees, because a plug-in loaded it,
/// e.g. an extension of Python. The library stays loaded.
void* find_in_plugins(const char* name) {
  for (const std::string& path : loaded_libraries()) {
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    void* const found = dlsym(library, name);
    if (found != nullptr && !is_own(found)) return found;
    dlclose(library);
  }
  return nullptr;
}

int is_for_long_integers(dl_phdr_info* library, std::size_t, void*) {
  const std::string_view name = library->dlpi_name == nullptr ? "" : library->dlpi_name;
  return name.find("scalapack_ilp64") != name.npos || name.find("scalapack64") != name.npos ? 1 : 0;
}

}  // namespace

void* find_native(const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const first = dlsym(RTLD_DEFAULT, name);
  return first != nullptr && !is_own(first) ? first : find_in_plugins(name);
}

void* require_native(const char* name) {
  if (void* const found = find_native(name)) return found;
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
