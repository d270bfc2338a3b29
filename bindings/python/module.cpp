#include "bindings/python/handles.hpp"

// The extension module that the Python package `cuboid` wraps.
PYBIND11_MODULE(_cuboid, module) {
  using namespace cuboid::detail::python;
  // NumPy is imported here, while no other thread can: pybind11 does so when it first needs it, in
  // a static's initialiser, which would wait for a thread that waits for that very initialiser.
  static_cast<void>(pybind11::detail::npy_api::get());
  define_errors();
  define_operations(module);
  define_communicators(module);
  define_matrices(module);
  define_model(module);
}
