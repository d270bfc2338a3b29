#include <cuboid/shape.hpp>

#include "bindings/python/handles.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/selection.hpp"
#include "models/messages/machine.hpp"

#include <algorithm>
#include <array>

#include <pybind11/stl.h>

// Predicted times of calls, on a network given by its shape or on a communicator's network.

namespace cuboid::detail::python {

namespace {

constexpr std::array modelled = {
    cuboid::detail::Operation::broadcast,      cuboid::detail::Operation::reduce,
    cuboid::detail::Operation::allreduce,      cuboid::detail::Operation::allgather,
    cuboid::detail::Operation::reduce_scatter, cuboid::detail::Operation::gather,
    cuboid::detail::Operation::scatter,        cuboid::detail::Operation::alltoall};

/// The predicted seconds of the fastest algorithm, and its name.
std::pair<double, std::string> fastest(const std::string& name, std::size_t bytes,
                                       const GroupCostModel& cost_model) {
  const auto found = std::ranges::find(
      modelled, name, [](auto operation) { return cuboid::detail::to_string(operation); });
  if (found == modelled.end()) {
    std::string names;
    for (const auto operation : modelled)
      names += (names.empty() ? "" : ", ") + std::string(cuboid::detail::to_string(operation));
    throw py::value_error("no model of an operation \"" + name + "\"; give one of " + names);
  }
  const Choice choice = select(call_of(*found, bytes, cost_model.ranks()), cost_model);
  return {choice.seconds, std::string(choice.algorithm->name)};
}

std::pair<double, std::string> on_shape(const std::string& operation, std::size_t bytes,
                                        const std::string& shape, const std::string& machine) {
  Machine numbers = machine_named(machine);
  const ShapeSpec spec = parse_shape(shape);
  set_rate(numbers, spec);
  return fastest(operation, bytes, one_rank_per_node(numbers, spec));
}

std::pair<double, std::string> on_communicator(const Communicator& communicator,
                                               const std::string& operation, std::size_t bytes) {
  return fastest(operation, bytes, of(communicator).state().cost_model);
}

}  // namespace

void define_model(py::module_& module) {
  module.def("predict_on_shape", &on_shape);
  module.def("predict", &on_communicator);
  module.def("machines", [] {
    std::vector<std::string> names;
    for (const Machine& machine : named_machines()) names.push_back(machine.name);
    return names;
  });
}

}  // namespace cuboid::detail::python
