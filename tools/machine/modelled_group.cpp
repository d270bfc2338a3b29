#include "tools/machine/modelled_group.hpp"

#include <cuboid/error.hpp>

#include "collectives/selection/modelled_call.hpp"
#include "tools/output/flag_values.hpp"
#include "topology/network/cut_bound.hpp"
#include "topology/network/shape_bounds.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

ShapeSpec network_from_flag(const std::string& text, const Machine& machine) {
  if (text.empty()) {
    if (machine.shape) return {*machine.shape, {}};
    refuse(
        fmt::format("--network: the parameters {} have no network shape: give one, e.g. "
                    "torus:8x8x8, or parameters that have one, e.g. --parameters bgp",
                    machine.name));
  }
  ShapeSpec spec;
  try {
    spec = parse_shape(text);
  } catch (const Error& error) {
    refuse(fmt::format("--network {}: {}", text, error.what()));
  }
  if (spec.shape.nodes() < 2)
    refuse(fmt::format("--network {}: a collective needs at least 2 nodes", text));
  if (spec.shape.nodes() > most_modelled_nodes)
    refuse(fmt::format("--network {}: give at most {} nodes", text, most_modelled_nodes));
  const auto unknown = std::ranges::find(spec.bytes_per_second, 0.0);
  if (unknown != spec.bytes_per_second.end() && std::ranges::max(spec.bytes_per_second) > 0) {
    refuse(fmt::format(
        "--network {}: axis {} has no rate: a prediction needs one of every axis, or of none", text,
        unknown - spec.bytes_per_second.begin()));
  }
  return spec;
}

namespace {

double bound_of_cuts(Operation operation, const Shape& shape, std::span<const double> rates) {
  switch (operation) {
    case Operation::broadcast:
    case Operation::reduce: return broadcast_bound(shape, rates);
    case Operation::allreduce: return allreduce_bound(shape, rates);
    case Operation::gather:
    case Operation::scatter: return gather_bound(shape, rates);
    case Operation::alltoall: return alltoall_bound(shape, rates);
    default: return allgather_bound(shape, rates);
  }
}

}  // namespace

double bound_of_nodes(Operation operation, const Shape& shape, double injection) {
  const auto nodes = static_cast<double>(shape.nodes());
  if (!has_blocks(operation) && operation != Operation::allreduce) return injection;
  return injection * nodes / (nodes - 1) / (operation == Operation::allreduce ? 2 : 1);
}

std::optional<double> bound_of_shape(Operation operation, std::size_t bytes, const ShapeSpec& spec,
                                     const Machine& machine) {
  if (operation == Operation::barrier || machine.between_nodes.byte_gap <= 0) return std::nullopt;
  const std::vector<double> rates = axis_rates(machine, spec);
  std::optional<double> bound =
      bound_with_bursts(bound_of_cuts(operation, spec.shape, rates), static_cast<double>(bytes),
                        machine.burst_bytes / std::ranges::min(rates));
  if (const double injection = machine.injection_bytes_per_second; injection > 0) {
    const double of_nodes = bound_of_nodes(operation, spec.shape, injection);
    bound = std::min(bound.value_or(of_nodes), of_nodes);
  }
  return bound;
}

}  // namespace cuboid::detail::tools
