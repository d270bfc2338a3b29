#pragma once

namespace cuboid::detail::scalapack {

/// A function of the ScaLAPACK that the program has: the next one after this library's own of that
/// name, or, where this library comes last, the first one. nullptr where there is none.
void* find_beneath(const char* name);

/// The same; ends the process with a message where there is none.
void* require_beneath(const char* name);

/// The function of that name, e.g. beneath<decltype(pdgemm_)>("pdgemm_").
template <class Function>
Function* beneath(const char* name) {
  return reinterpret_cast<Function*>(require_beneath(name));
}

/// Whether the program's ScaLAPACK has integers of 64 bits, which is not supported.
bool has_long_integers();

}  // namespace cuboid::detail::scalapack
