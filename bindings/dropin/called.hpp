#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cuboid::detail::drop_in {

/// The collectives of MPI that the drop-in may take over. A non-blocking form counts as the
/// blocking form.
enum class Called {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  allgather,
  allgatherv,
  gather,
  gatherv,
  scatter,
  scatterv,
  alltoall,
  alltoallv,
  scan,
  exscan,
};
inline constexpr std::size_t calls_in_all = 16;

/// MPI's name without MPI_, such as "bcast" or "reduce_scatter_block".
std::string_view name_of(Called called);
std::optional<Called> called_by(std::string_view name);

/// True if all ranks know the call's length, so that all decide alike. In MPI_Gatherv, MPI_Scatterv
/// and MPI_Alltoallv a rank knows only the blocks that it sends or receives itself.
constexpr bool length_known_to_all(Called called) {
  return called != Called::gatherv && called != Called::scatterv && called != Called::alltoallv;
}

}  // namespace cuboid::detail::drop_in
