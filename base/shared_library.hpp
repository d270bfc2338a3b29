#pragma once

#include <string>

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
  /// Throws Error(unsupported) with the loader's reason.
  explicit SharedLibrary(const std::string& path, Symbols symbols = Symbols::own);

  /// True if a library of this name can be loaded. It stays loaded.
  static bool can_be_loaded(const std::string& name);
  /// True if this process has already loaded a library of this name.
  static bool is_loaded(const std::string& name);

  /// The function of this name; nullptr if the library has none.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

  /// The file that the library was loaded from.
  const std::string& path() const { return path_; }

 private:
  void* address(const char* name) const;

  void* handle_;
  std::string path_;
};

}  // namespace cuboid::detail
