#include "bindings/python/handles.hpp"

// The extension module that the Python package `cuboid` wraps.
PYBIND11_MODULE(_cuboid, module) {
  using namespace cuboid::detail::python;
  // Imports NumPy here, while no other thread can. Otherwise pybind11 imports it when it first
  // needs it, in the initialiser of a static variable. That import could wait for a thread that
  // waits for this initialiser.
  static_cast<void>(pybind11::detail::npy_api::get());
  define_errors();
  define_operations(module);
  define_communicators(module);
  define_matrices(module);
  define_model(module);
}
