#include "tools/bench/mpi_case.hpp"

#include <cstdint>

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

// Persistent collectives are part of MPI 4; older versions of Open MPI offer them as an extension.
#if MPI_VERSION >= 4
#define CUBOID_MPI_PERSISTENT(name) MPI_##name
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define CUBOID_MPI_PERSISTENT(name) MPIX_##name
#endif

namespace cuboid::detail::tools {

namespace {

MPI_Datatype built_in(Datatype type) {
  using Kind = Datatype::Kind;
  switch (type.kind()) {
    case Kind::int8: return MPI_INT8_T;
    case Kind::int16: return MPI_INT16_T;
    case Kind::int32: return MPI_INT32_T;
    case Kind::int64: return MPI_INT64_T;
    case Kind::uint8: return MPI_UINT8_T;
    case Kind::uint16: return MPI_UINT16_T;
    case Kind::uint32: return MPI_UINT32_T;
    case Kind::uint64: return MPI_UINT64_T;
    case Kind::float32: return MPI_FLOAT;
    case Kind::float64: return MPI_DOUBLE;
    case Kind::complex64: return MPI_C_FLOAT_COMPLEX;
    case Kind::complex128: return MPI_C_DOUBLE_COMPLEX;
    default: return MPI_BYTE;
  }
}

/// The elements of a user-defined type are added byte by byte.
void add_bytes(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const auto* from = static_cast<const std::uint8_t*>(in);
  auto* to = static_cast<std::uint8_t*>(inout);
  for (std::int64_t i = 0; i < std::int64_t{*count} * bytes; ++i)
    to[i] = static_cast<std::uint8_t>(to[i] + from[i]);
}

#ifdef CUBOID_MPI_PERSISTENT
#define CUBOID_MPI_CALLS(name, start, init) MPI_##name, MPI_##start, CUBOID_MPI_PERSISTENT(init)
#else
#define CUBOID_MPI_CALLS(name, start, init) MPI_##name, MPI_##start, nullptr
#endif

}  // namespace

MpiCase::MpiCase(const BenchCase& test, MpiGroup& group)
    : test_(test), group_(group), type_(built_in(test.call().type)) {
  if (test.call().type.kind() == Datatype::Kind::user) {
    MPI_Type_contiguous(static_cast<int>(test.call().type.bytes()), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
    MPI_Op_create(add_bytes, 1, &sum_);
  }
  if (!test.call().v_form) return;
  for (int rank = 0; rank < test.communicator().size(); ++rank) {
    lengths_.push_back(static_cast<int>(test.block()));
    displacements_.push_back(rank * lengths_.back());
  }
}

MpiCase::~MpiCase() {
  if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
  if (sum_ == MPI_SUM) return;
  MPI_Op_free(&sum_);
  MPI_Type_free(&type_);
}

/// Calls `use` with the three functions of the operation and their common arguments.
template <class Use>
void MpiCase::call(const Use& use) {
  const int all = static_cast<int>(test_.count());
  const int one = static_cast<int>(test_.block());
  const int root = test_.call().root;
  void* const in = test_.input().data;
  void* const out = test_.output().data;
  const bool shared = test_.shares_memory();
  const void* const source = shared ? MPI_IN_PLACE : in;
  void* const scattered = shared ? MPI_IN_PLACE : out;
  // In place, MPI reads the whole input from the output's argument.
  void* const reduced = shared ? in : out;
  const int* const lengths = lengths_.data();
  const int* const offsets = displacements_.data();
  const bool v = test_.call().v_form;
  switch (test_.call().operation) {
    case Operation::barrier: return use(CUBOID_MPI_CALLS(Barrier, Ibarrier, Barrier_init));
    case Operation::broadcast:
      return use(CUBOID_MPI_CALLS(Bcast, Ibcast, Bcast_init), out, all, type_, root);
    case Operation::reduce:
      return use(CUBOID_MPI_CALLS(Reduce, Ireduce, Reduce_init), source, out, all, type_, sum_,
                 root);
    case Operation::allreduce:
      return use(CUBOID_MPI_CALLS(Allreduce, Iallreduce, Allreduce_init), source, out, all, type_,
                 sum_);
    case Operation::allgather:
      if (v)
        return use(CUBOID_MPI_CALLS(Allgatherv, Iallgatherv, Allgatherv_init), source, one, type_,
                   out, lengths, offsets, type_);
      return use(CUBOID_MPI_CALLS(Allgather, Iallgather, Allgather_init), source, one, type_, out,
                 one, type_);
    case Operation::reduce_scatter:
      if (v)
        return use(CUBOID_MPI_CALLS(Reduce_scatter, Ireduce_scatter, Reduce_scatter_init), source,
                   reduced, lengths, type_, sum_);
      return use(
          CUBOID_MPI_CALLS(Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init),
          source, reduced, one, type_, sum_);
    case Operation::gather:
      if (v)
        return use(CUBOID_MPI_CALLS(Gatherv, Igatherv, Gatherv_init), source, one, type_, out,
                   lengths, offsets, type_, root);
      return use(CUBOID_MPI_CALLS(Gather, Igather, Gather_init), source, one, type_, out, one,
                 type_, root);
    case Operation::scatter:
      if (v)
        return use(CUBOID_MPI_CALLS(Scatterv, Iscatterv, Scatterv_init), in, lengths, offsets,
                   type_, scattered, one, type_, root);
      return use(CUBOID_MPI_CALLS(Scatter, Iscatter, Scatter_init), in, one, type_, scattered, one,
                 type_, root);
    case Operation::alltoall:
      if (v)
        return use(CUBOID_MPI_CALLS(Alltoallv, Ialltoallv, Alltoallv_init), in, lengths, offsets,
                   type_, out, lengths, offsets, type_);
      return use(CUBOID_MPI_CALLS(Alltoall, Ialltoall, Alltoall_init), in, one, type_, out, one,
                 type_);
    case Operation::scan:
      return use(CUBOID_MPI_CALLS(Scan, Iscan, Scan_init), source, out, all, type_, sum_);
    case Operation::exscan:
      return use(CUBOID_MPI_CALLS(Exscan, Iexscan, Exscan_init), source, out, all, type_, sum_);
  }
}

void MpiCase::run() {
  const Watchdog::WatchedCall watched(group_.watchdog());
  call([&](auto blocking, auto, auto, const auto&... arguments) {
    blocking(arguments..., group_.get());
  });
}

void MpiCase::start() {
  const Watchdog::WatchedCall watched(group_.watchdog());
  call([&](auto, auto start, auto, const auto&... arguments) {
    start(arguments..., group_.get(), &request_);
  });
}

void MpiCase::plan() {
#ifdef CUBOID_MPI_PERSISTENT
  const Watchdog::WatchedCall watched(group_.watchdog());
  call([&](auto, auto, auto init, const auto&... arguments) {
    init(arguments..., group_.get(), MPI_INFO_NULL, &request_);
  });
#endif
}

void MpiCase::start_planned() {
  MPI_Start(&request_);
}

void MpiCase::wait() {
  const Watchdog::WatchedCall watched(group_.watchdog());
  MPI_Wait(&request_, MPI_STATUS_IGNORE);  // waits: until the watchdog ends the process
}

bool mpi_has_persistent_collectives() {
#ifdef CUBOID_MPI_PERSISTENT
  return true;
#else
  return false;
#endif
}

}  // namespace cuboid::detail::tools
