#include "base/shared_library.hpp"

#include <cuboid/error.hpp>

#include <cstddef>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

namespace cuboid::detail {

namespace {

// RTLD_DEEPBIND makes a library call its own dgemm_ even if the program exports another dgemm_. The
// sanitizers' runtime refuses this flag, because it would keep the library from using their malloc.
#ifdef CUBOID_SANITIZED
constexpr int load_flags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int load_flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

std::string file_of(void* handle, const std::string& asked_for) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map->l_name == nullptr) return asked_for;
  return map->l_name;
}

}  // namespace

std::string present_library(const std::string& file) {
  const std::filesystem::path path(file);
  return std::filesystem::exists(path) ? file : path.filename().string();
}

SharedLibrary::SharedLibrary(const std::string& path, Symbols symbols, std::string_view remedy)
    : handle_(dlopen(path.c_str(), symbols == Symbols::own ? load_flags : RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    throw Error(ErrorCode::unsupported, fmt::format("cannot load {}: {}{}{}", path, dlerror(),
                                                    remedy.empty() ? "" : "; ", remedy));
  }
  path_ = file_of(handle_, path);
}

bool SharedLibrary::can_be_loaded(const std::string& name) {
  return dlopen(name.c_str(), load_flags) != nullptr;
}

bool SharedLibrary::is_loaded(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

unsigned long long SharedLibrary::loads() {
  unsigned long long loads = 0;
  const auto take_from_first = [](dl_phdr_info* first, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = first->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(take_from_first, &loads);
  return loads;
}

void SharedLibrary::refuse(const char* name, std::string_view needed) const {
  throw Error(ErrorCode::unsupported, fmt::format("{} has no {}: {}", path_, name, needed));
}

void* SharedLibrary::address(const char* name) const {
  return dlsym(handle_, name);
}

}  // namespace cuboid::detail
