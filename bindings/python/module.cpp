#include "bindings/python/handles.hpp"

// The extension module, around which the package `cuboid` is written in Python.
PYBIND11_MODULE(_cuboid, module) {
  using namespace cuboid::detail::python;
  define_operations(module);
  define_communicators(module);
  define_matrices(module);
  define_model(module);
}
