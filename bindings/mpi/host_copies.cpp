#include "bindings/mpi/host_copies.hpp"

#include <cuboid/error.hpp>

#include "bindings/dropin/progress.hpp"
#include "bindings/dropin/ticket_lock.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/memory/copy_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>

#include <dlfcn.h>

namespace cuboid::detail::drop_in {

namespace {

/// An MPI says so by a function that only some have.
bool mpi_is_cuda_aware() {
  static const bool aware = [] {
    auto* const query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
    return query != nullptr && query() == 1;
  }();
  return aware;
}

}  // namespace

bool is_known_out_of_reach(const void* buffer) {
  return !memory_space_of(buffer).on_host() && !mpi_is_cuda_aware();
}

HostCopies::HostCopies(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;  // MPI says so
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) {
    throw Error(ErrorCode::unsupported,
                "a buffer on a device in an intercommunicator: this MPI is not CUDA-aware; copy it "
                "to the host's memory first");
  }
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &size_);
}

HostCopies::UsedBytes HostCopies::elements(long count, MPI_Datatype type) const {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return {};
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  const MPI_Aint last = (count - 1) * extent;
  return {true_lower + std::min<MPI_Aint>(last, 0),
          true_lower + true_extent + std::max<MPI_Aint>(last, 0)};
}

HostCopies::UsedBytes HostCopies::blocks(const int* counts, const int* displacements,
                                         MPI_Datatype type) const {
  if (counts == nullptr || type == MPI_DATATYPE_NULL) return {};
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  UsedBytes all;
  MPI_Aint next = 0;
  for (int rank = 0; rank < size_; ++rank) {
    const MPI_Aint offset = (displacements == nullptr ? next : displacements[rank]) * extent;
    next += counts[rank];
    if (counts[rank] <= 0) continue;
    const UsedBytes block = elements(counts[rank], type);
    const bool first = all.begin == all.end;
    all.begin = first ? offset + block.begin : std::min(all.begin, offset + block.begin);
    all.end = first ? offset + block.end : std::max(all.end, offset + block.end);
  }
  return all;
}

void* HostCopies::place(const void* buffer, UsedBytes used, bool written) {
  auto* const address = static_cast<std::byte*>(const_cast<void*>(buffer));
  if (!is_out_of_reach(buffer)) return address;
  static std::byte unused{};
  if (used.begin == used.end) return &unused;
  std::byte* const begin = address + used.begin;
  const auto bytes = static_cast<std::size_t>(used.end - used.begin);
  const MemorySpace space = memory_space_of_buffer(begin, bytes, "a buffer of MPI's");
  const HostCopy& copy = copies_.emplace_back(CudaDevice::at(*CudaDriver::loaded(), space.device),
                                              begin, bytes, written);
  // What the call does not write stays as it is.
  copy_memory(begin, bytes, copy.block.data(), bytes, bytes, 1);
  // The address may lie before the copy, so integers are added instead of pointers.
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(copy.block.data()) -
                                 static_cast<std::uintptr_t>(used.begin));
}

void HostCopies::load() const {
  for (const HostCopy& copy : copies_)
    copy_memory(copy.begin, copy.bytes, copy.block.data(), copy.bytes, copy.bytes, 1);
}

void HostCopies::store() const {
  for (const HostCopy& copy : copies_) {
    if (copy.written)
      copy_memory(copy.block.data(), copy.bytes, copy.begin, copy.bytes, copy.bytes, 1);
  }
}

std::optional<int> store_when_complete(const HostCopies& copies, MPI_Request& request) {
  int complete = 0;
  const int code = PMPI_Test(&request, &complete, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  if (complete == 0) return std::nullopt;
  copies.store();
  return MPI_SUCCESS;
}

int on_host_copies(MPI_Comm comm, MPI_Request* request, const CallOnCopies& call) {
  try {
    if (!mpi_gives_turns()) {
      throw Error(ErrorCode::unsupported,
                  "a non-blocking collective on a buffer on a device: this MPI is not CUDA-aware, "
                  "and lets no library make progress while it waits; use the blocking call, or "
                  "copy the buffer to the host's memory");
    }
    const auto copies = std::make_shared<HostCopies>(comm);
    MPI_Request on_copies = MPI_REQUEST_NULL;
    const int code = call(*copies, request == nullptr ? nullptr : &on_copies);
    if (code != MPI_SUCCESS || request == nullptr) return code;
    begin_turns();
    const std::lock_guard guard(cuboid_lock());
    return make_request([=]() mutable { return store_when_complete(*copies, on_copies); }, request);
  } catch (...) {
    return report_current_exception(comm);
  }
}

}  // namespace cuboid::detail::drop_in
