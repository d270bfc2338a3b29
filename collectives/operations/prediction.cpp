#include <cuboid/error.hpp>
#include <cuboid/prediction.hpp>
#include <cuboid/shape.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/selection.hpp"
#include "models/messages/machine.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid {
namespace {

constexpr std::array modelled = {detail::Operation::broadcast,      detail::Operation::reduce,
                                 detail::Operation::allreduce,      detail::Operation::allgather,
                                 detail::Operation::reduce_scatter, detail::Operation::gather,
                                 detail::Operation::scatter,        detail::Operation::alltoall};

detail::Operation modelled_operation(std::string_view name) {
  std::vector<std::string> names;
  for (const detail::Operation operation : modelled) {
    names.push_back(detail::to_string(operation));
    if (names.back() == name) return operation;
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("no model of an operation \"{}\"; give one of {}", name, fmt::join(names, ", ")));
}

Prediction fastest(std::string_view operation, std::size_t bytes,
                   const detail::GroupCostModel& cost_model) {
  const detail::Collective call =
      detail::call_of(modelled_operation(operation), bytes, cost_model.ranks());
  const detail::Choice choice = detail::select(call, cost_model);
  return {choice.seconds, std::string(choice.algorithm->name)};
}

}  // namespace

Prediction predict(const Communicator& communicator, std::string_view operation,
                   std::size_t bytes) {
  return fastest(operation, bytes, communicator.state().cost_model);
}

Prediction predict(std::string_view operation, std::size_t bytes, std::string_view shape,
                   std::string_view machine) {
  detail::Machine numbers = detail::machine_named(std::string(machine));
  const ShapeSpec spec = parse_shape(shape);
  detail::set_rate(numbers, spec);
  return fastest(operation, bytes, detail::one_rank_per_node(numbers, spec));
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const detail::Machine& machine : detail::named_machines()) names.push_back(machine.name);
  return names;
}

}  // namespace cuboid
