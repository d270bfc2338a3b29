#include "collectives/types/collective.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail {

std::string to_string(Operation operation) {
  switch (operation) {
    case Operation::barrier: return "barrier";
    case Operation::broadcast: return "broadcast";
    case Operation::reduce: return "reduce";
    case Operation::allreduce: return "allreduce";
    case Operation::allgather: return "allgather";
    case Operation::reduce_scatter: return "reduce_scatter";
    case Operation::gather: return "gather";
    case Operation::scatter: return "scatter";
    case Operation::alltoall: return "alltoall";
    case Operation::scan: return "scan";
    case Operation::exscan: return "exscan";
  }
  return "unknown";
}

std::optional<Operation> find_operation(std::string_view name) {
  if (name == "bcast") return Operation::broadcast;
  const auto* const found = std::ranges::find_if(
      every_operation, [&](Operation operation) { return to_string(operation) == name; });
  if (found == every_operation.end()) return std::nullopt;
  return *found;
}

bool has_blocks(Operation operation) {
  switch (operation) {
    case Operation::allgather:
    case Operation::reduce_scatter:
    case Operation::gather:
    case Operation::scatter:
    case Operation::alltoall: return true;
    default: return false;
  }
}

std::string describe(const Collective& collective) {
  const std::string name = to_string(collective.operation);
  if (collective.operation == Operation::barrier) return name;
  const std::string what =
      fmt::format("{} of {} bytes", name, collective.count * collective.type.bytes());
  switch (collective.operation) {
    case Operation::broadcast:
    case Operation::scatter: return fmt::format("{} from rank {}", what, collective.root);
    case Operation::reduce:
    case Operation::gather: return fmt::format("{} to rank {}", what, collective.root);
    default: return what;
  }
}

}  // namespace cuboid::detail
