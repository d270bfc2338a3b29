#include "bindings/dropin/called.hpp"

#include <array>

namespace cuboid::detail::drop_in {

namespace {

constexpr std::array<std::string_view, calls_in_all> names = {
    "barrier",   "bcast",      "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block",
    "allgather", "allgatherv", "gather", "gatherv",   "scatter",        "scatterv",
    "alltoall",  "alltoallv",  "scan",   "exscan"};

}  // namespace

std::string_view name_of(Called called) {
  return names[static_cast<std::size_t>(called)];
}

std::optional<Called> called_by(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Called>(i);
  }
  return std::nullopt;
}

}  // namespace cuboid::detail::drop_in
