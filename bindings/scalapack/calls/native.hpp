#pragma once

namespace cuboid::detail::scalapack {

/// A function of the program's ScaLAPACK: the next function of that name after this library's own;
/// if this library is loaded last, the first one; otherwise one that only a plug-in of the program
/// sees. nullptr if there is none.
void* find_native(const char* name);

/// Like find_native(), but ends the process with a message if there is no such function.
void* require_native(const char* name);

/// The function of that name, e.g. native<decltype(pdgemm_)>("pdgemm_").
template <class Function>
Function* native(const char* name) {
  return reinterpret_cast<Function*>(require_native(name));
}

/// True if the program's ScaLAPACK has 64-bit integers, which is not supported.
bool has_long_integers();

}  // namespace cuboid::detail::scalapack
