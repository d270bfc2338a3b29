#pragma once

#include "bindings/mpi/requests.hpp"
#include "devices/memory/memory_space.hpp"
#include "devices/memory/pinned_block.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <optional>

#include <mpi.h>

namespace cuboid::detail::drop_in {

// Buffers in devices' memory. An MPI that is not CUDA-aware would read them as the host's memory
// and crash; so calls with such buffers run on copies in the host's memory.

/// True if MPI cannot reach a buffer that the driver has been asked about.
bool is_known_out_of_reach(const void* buffer);

/// True if a buffer lies in a device's memory and this MPI is not CUDA-aware.
inline bool is_out_of_reach(const void* buffer) {
  return may_lie_on_device(buffer) && is_known_out_of_reach(buffer);
}

/// Copies of the buffers of one call that are out of reach.
class HostCopies {
 public:
  /// Throws Error(unsupported) for an intercommunicator.
  explicit HostCopies(MPI_Comm comm);

  /// The bytes that a call uses, counted from the buffer's address.
  struct UsedBytes {
    MPI_Aint begin = 0;
    MPI_Aint end = 0;
  };
  /// `count` elements.
  UsedBytes elements(long count, MPI_Datatype type) const;
  /// A block of `count` elements for each rank.
  UsedBytes equal_blocks(int count, MPI_Datatype type) const {
    return elements(static_cast<long>(count) * size_, type);
  }
  /// A block for each rank; adjacent blocks if `displacements` is a null pointer.
  UsedBytes blocks(const int* counts, const int* displacements, MPI_Datatype type) const;

  bool is(int root) const { return root == rank_; }
  int rank() const { return rank_; }

  /// The buffer itself if it is in reach, else the address in the host's memory that stands for it.
  const void* of(const void* buffer, UsedBytes used) { return place(buffer, used, false); }
  void* of(void* buffer, UsedBytes used) { return place(buffer, used, true); }
  /// Copies the buffers again, for another run of a persistent call.
  void load() const;
  /// Copies what the call has written to the device.
  void store() const;

 private:
  struct HostCopy {
    HostCopy(const CudaDevice& on, std::byte* from, std::size_t length, bool is_written)
        : block(on, length), begin(from), bytes(length), written(is_written) {}
    PinnedBlock block;
    std::byte* begin;
    std::size_t bytes;
    bool written;
  };
  void* place(const void* buffer, UsedBytes used, bool written);

  int rank_ = 0;
  int size_ = 0;
  std::list<HostCopy> copies_;
};

/// Makes a blocking call on copies. `call` gets the copies and passes MPI their addresses.
template <class Call>
int on_host_copies(MPI_Comm comm, const Call& call) {
  try {
    HostCopies copies(comm);
    const int code = call(copies);
    if (code == MPI_SUCCESS) copies.store();
    return code;
  } catch (...) {
    return report_current_exception(comm);
  }
}

/// Makes a call on copies, and the request for them at the address that it is told.
using CallOnCopies = std::function<int(HostCopies& copies, MPI_Request* request)>;

/// Makes a non-blocking call on copies. Its request completes when the results lie on the device.
/// Reports an error if MPI gives no turns.
int on_host_copies(MPI_Comm comm, MPI_Request* request, const CallOnCopies& call);

/// Asked at MPI's polls, as Look: when the request of a call on copies is complete, stores them.
std::optional<int> store_when_complete(const HostCopies& copies, MPI_Request& request);

}  // namespace cuboid::detail::drop_in
