#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// The functions that a library calls if the program has other functions of the same names.
enum class Symbols {
  /// The library's own: it and the BLAS that the program is linked with do not see each other.
  own,
  programs,  ///< the program's, as for every library that the program is linked with
};

/// The name under which a library that was chosen when Cuboid was built can be loaded: the file
/// itself or, on a machine that does not have this file, its bare name, which the loader searches
/// for.
std::string present_library(const std::string& file);

/// A shared library that is loaded at run time. It stays loaded until the process ends, because
/// libraries with threads of their own do not survive unloading.
class SharedLibrary {
 public:
  /// @param path  a file, or a bare name that the loader searches for.
  /// @param remedy  what the caller can do if it cannot be loaded; the error ends with it.
  /// Throws Error(unsupported) with the loader's reason and the remedy.
  explicit SharedLibrary(const std::string& path, Symbols symbols = Symbols::own,
                         std::string_view remedy = {});

  /// True if a library of this name can be loaded. It stays loaded.
  static bool can_be_loaded(const std::string& name);
  /// True if this process has already loaded a library of this name.
  static bool is_loaded(const std::string& name);
  /// The number of libraries that this process has loaded until now; it never falls. While it stays
  /// the same, is_loaded() does, too, for names of which it was false. Takes some 30 ns,
  /// is_loaded() 50 us if the loader searches in vain.
  static unsigned long long loads();

  /// The function of this name; nullptr if the library has none.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  /// Sets `function` to the function of this name. Throws Error(unsupported) if the library has
  /// none; the error ends with `needed`, which says what is needed, and the remedy.
  template <class Function>
  void require(Function*& function, const char* name, std::string_view needed) const {
    function = find<Function>(name);
    if (function == nullptr) refuse(name, needed);
  }

  /// The file that the library was loaded from.
  const std::string& path() const { return path_; }

 private:
  void* address(const char* name) const;
  [[noreturn]] void refuse(const char* name, std::string_view needed) const;

  void* handle_;
  std::string path_;
};

/// The object of this name in this process, made by `make` at the first call for the name. It is
/// state of the process, like a library's own state, and never destroyed: what ends with the
/// program may still call a library. Several threads may call it at the same time.
template <class Object>
Object& once_per_process(const std::string& name, const std::function<Object*()>& make) {
  static std::mutex& mutex = *new std::mutex;
  static auto& objects = *new std::map<std::string, std::unique_ptr<Object>>;
  const std::lock_guard lock(mutex);
  auto& object = objects[name];
  if (object == nullptr) object.reset(make());
  return *object;
}

}  // namespace cuboid::detail
