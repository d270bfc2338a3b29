#include "bindings/python/handles.hpp"

// The extension module that the Python package `cuboid` wraps.
PYBIND11_MODULE(_cuboid, module) {
  using namespace cuboid::detail::python;
  define_operations(module);
  define_communicators(module);
  define_matrices(module);
  define_model(module);
}
