#include "bindings/dropin/fast_pass_through.hpp"

#include "bindings/dropin/settings.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace cuboid::detail::drop_in {

constinit FastPassThrough fast_pass_through;

namespace {

std::map<MPI_Datatype, int> sizes_of_usual_types() {
  std::map<MPI_Datatype, int> sizes;
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
    if (size > 0) sizes[type] = size;  // an MPI may lack types of Fortran's
  }
  return sizes;
}

}  // namespace

void FastPassThrough::learn() {
  static const bool learnt = (fill(), true);
  static_cast<void>(learnt);
}

void FastPassThrough::fill() {
  if (settings().counts) return;
  const std::map<MPI_Datatype, int> sizes = sizes_of_usual_types();
  // Handles differ from run to run, so the loop looks for a factor that gives each handle a place
  // of its own.
  for (int tries = 0; tries < 10000; ++tries) {
    std::set<std::size_t> taken;
    for (const auto& [type, size] : sizes) taken.insert(place_of_type(type));
    if (taken.size() == sizes.size()) break;
    factor_ = factor_ * 6364136223846793005U + 1442695040888963408U;  // the factor stays odd
  }
  for (const auto& [type, size] : sizes) {
    Type& known = types_[place_of_type(type)];
    known.size.store(size, std::memory_order_relaxed);
    known.type.store(type, std::memory_order_release);
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

void FastPassThrough::note(MPI_Comm communicator, int ranks, Called called, int bytes_width) {
  if (settings().counts) return;
  Settled& settled = settled_[place_of(communicator)];
  if (!settled.is_of(communicator)) {
    settled.used.store(false, std::memory_order_relaxed);
    for (auto& widths : settled.widths) widths.store(0, std::memory_order_relaxed);
    settled.communicator.store(communicator, std::memory_order_relaxed);
    settled.ranks.store(ranks, std::memory_order_relaxed);
    settled.used.store(true, std::memory_order_release);
  }
  settled.widths[static_cast<std::size_t>(called)] |= std::uint64_t{1} << bytes_width;
}

void FastPassThrough::forget(MPI_Comm communicator) {
  Settled& settled = settled_[place_of(communicator)];
  if (settled.is_of(communicator)) settled.used.store(false, std::memory_order_relaxed);
}

}  // namespace cuboid::detail::drop_in
