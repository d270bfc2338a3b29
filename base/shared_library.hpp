#pragma once

#include <string>

namespace cuboid::detail {

/// Whose functions a library calls where the program has others of the same name.
enum class Symbols {
  own,       ///< its own: whatever BLAS the program is linked with, neither sees the other's
  programs,  ///< the program's, as every library that is linked with it
};

/// Where a library is that was chosen when Cuboid was built: the file itself, or, on a machine that
/// does not have it there, its bare name, which the loader searches for.
std::string present_library(const std::string& file);

/// A shared library loaded at run time. Stays loaded until the process ends, because libraries
/// with threads of their own do not survive being unloaded.
class SharedLibrary {
 public:
  /// @param path  a file, or a bare name that the loader searches for.
  /// Throws Error(unsupported) with the loader's reason.
  explicit SharedLibrary(const std::string& path, Symbols symbols = Symbols::own);

  /// True if a library of that name is found. It stays loaded, too.
  static bool can_be_loaded(const std::string& name);
  /// True if this process has loaded a library of that name already.
  static bool is_loaded(const std::string& name);

  /// The function called `name`, or null where the library has none.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

  /// The file the library was loaded from.
  const std::string& path() const { return path_; }

 private:
  void* address(const char* name) const;

  void* handle_;
  std::string path_;
};

}  // namespace cuboid::detail
