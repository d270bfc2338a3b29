#include "bindings/mpi/short_calls.hpp"

#include "bindings/mpi_choice/settings.hpp"

#include <algorithm>
#include <limits>

namespace cuboid::detail::drop_in {

constinit ShortCalls short_calls;

void ShortCalls::learn() {
  static const bool learnt = (fill(), true);
  static_cast<void>(learnt);
}

void ShortCalls::fill() {
  if (settings().counts) return;
  for (const MPI_Datatype type : {MPI_CHAR,
                                  MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_CHAR,
                                  MPI_BYTE,
                                  MPI_SHORT,
                                  MPI_UNSIGNED_SHORT,
                                  MPI_INT,
                                  MPI_UNSIGNED,
                                  MPI_LONG,
                                  MPI_UNSIGNED_LONG,
                                  MPI_LONG_LONG,
                                  MPI_UNSIGNED_LONG_LONG,
                                  MPI_INT8_T,
                                  MPI_UINT8_T,
                                  MPI_INT16_T,
                                  MPI_UINT16_T,
                                  MPI_INT32_T,
                                  MPI_UINT32_T,
                                  MPI_INT64_T,
                                  MPI_UINT64_T,
                                  MPI_FLOAT,
                                  MPI_DOUBLE,
                                  MPI_LONG_DOUBLE,
                                  MPI_C_BOOL,
                                  MPI_C_FLOAT_COMPLEX,
                                  MPI_C_DOUBLE_COMPLEX,
                                  MPI_AINT,
                                  MPI_OFFSET,
                                  MPI_COUNT,
                                  MPI_2INT,
                                  MPI_DOUBLE_INT,
                                  MPI_INTEGER,
                                  MPI_LOGICAL,
                                  MPI_CHARACTER,
                                  MPI_REAL,
                                  MPI_DOUBLE_PRECISION,
                                  MPI_COMPLEX,
                                  MPI_DOUBLE_COMPLEX}) {
    int size = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS) continue;
    if (size <= 0) continue;  // a type of Fortran's that this MPI lacks
    Entry& entry = entries_[place_of(type)];
    if (entry.size != 0) continue;  // the more usual type of two is first
    entry.size.store(size, std::memory_order_relaxed);
    entry.type.store(type, std::memory_order_release);
  }
  // No communicator that Cuboid serves has more ranks than the world.
  int has_world = 0;
  int ranks = 0;
  PMPI_Initialized(&has_world);
  if (has_world != 0) PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (std::size_t called = 0; called < calls_in_all; ++called) {
    constexpr std::size_t most = std::numeric_limits<std::int64_t>::max();
    const std::size_t least = settings().least(static_cast<Called>(called));
    const auto bytes = static_cast<std::int64_t>(std::min(least, most));
    least_[called].store(bytes, std::memory_order_relaxed);
    if (ranks > 0) least_of_block_[called].store(bytes / ranks, std::memory_order_relaxed);
  }
}

}  // namespace cuboid::detail::drop_in
