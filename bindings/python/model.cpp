#include <cuboid/prediction.hpp>

#include "bindings/python/handles.hpp"

#include <pybind11/stl.h>

// Predicted times of calls, on a network given by its shape or on a communicator's network.

namespace cuboid::detail::python {

namespace {

std::pair<double, std::string> as_pair(const Prediction& prediction) {
  return {prediction.seconds, prediction.algorithm};
}

}  // namespace

void define_model(py::module_& module) {
  module.def("predict_on_shape", [](const std::string& operation, std::size_t bytes,
                                    const std::string& shape, const std::string& machine) {
    return as_pair(predict(operation, bytes, shape, machine));
  });
  module.def("predict",
             [](const Communicator& communicator, const std::string& operation, std::size_t bytes) {
               return as_pair(predict(of(communicator), operation, bytes));
             });
  module.def("machines", &machine_names);
}

}  // namespace cuboid::detail::python
