#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/on_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace cuboid {

/// Memory of every rank that the other ranks read and write one-sidedly. Construction and
/// destruction are collective. The window owns the memory and shares it with the ranks of the same
/// node if the transport can. On networks with remote memory access (RDMA) the hardware serves puts
/// and gets. Elsewhere the owner of the memory serves them whenever it is inside a Cuboid call,
/// waits in Open MPI, or has a thread for it (CUBOID_PROGRESS=thread). Fences are independent of
/// the communicator's other operations.
class CUBOID_API Window {
 public:
  /// Allocates `bytes` of zeroed memory on this rank; the amount may differ between ranks.
  /// Collective. Throws Error(out_of_memory) on every rank if one rank lacks the memory.
  Window(const Communicator& communicator, std::size_t bytes);
  /// The same in the memory of a CUDA device. Ranks of the node whose windows lie on devices reach
  /// it from their devices, if the machine has a way; for all other ranks this rank serves it.
  /// Ranks may have windows on different devices, and others in the host's memory.
  /// @param device  the device's number, as CUDA counts the devices that this process sees; nullopt
  ///                for the host's memory.
  /// Throws as above, on every rank; Error(unsupported) if there is no CUDA driver,
  /// Error(invalid_argument) if there is no such device.
  Window(const Communicator& communicator, std::size_t bytes, std::optional<int> device);
  Window(Window&&) noexcept;
  /// Exchanges the two windows. The memory that this window held is freed, collectively, when the
  /// other window is destroyed.
  Window& operator=(Window&&) noexcept;
  /// Collective: waits for all ranks, up to the deadline, so that no memory is freed while another
  /// rank reads it. It does not wait if an exception ends the window's scope, or after revoke().
  ~Window();
  /// Frees this rank's memory without waiting for the other ranks, which must neither read nor
  /// write it any more. Not collective. Afterwards the window can only be destroyed, and that is
  /// not collective either.
  void free_alone() noexcept;

  /// This rank's own memory. Valid as long as the window. The host must not touch it if it is a
  /// device's.
  std::span<std::byte> local() const;
  /// The size of a peer's memory in bytes. bytes(), direct(), put() and get() throw
  /// Error(invalid_argument) for a peer that is not a rank of the communicator.
  std::size_t bytes(int peer) const;

  /// A peer's memory, for direct loads and stores; empty if it is not shared with this rank, e.g.
  /// on another node. A device's memory is for kernels of this rank's device. Valid as long as the
  /// window. Reads and writes must be synchronised with the
  /// peer, e.g. by fence().
  std::span<std::byte> direct(int peer) const;

  /// The number of a get of this window, in the order in which gets were started.
  enum class GetNumber : std::uint64_t {};

  /// Starts to copy `mine` to byte `offset` of a peer's memory. `mine` must not be touched until
  /// flush(). It may lie in a device's memory: the work of the device's default stream is done
  /// before the copy, or the work that `after` holds. Throws Error(invalid_argument) for a range
  /// outside the peer's memory.
  void put(std::span<const std::byte> mine, int peer, std::size_t offset, OnStream after = {});
  /// Starts to copy from byte `offset` of a peer's memory to `mine`, which must not be touched
  /// until flush() or wait(). It may lie in a device's memory. Throws Error(invalid_argument) for a
  /// range outside the peer's memory.
  GetNumber get(std::span<std::byte> mine, int peer, std::size_t offset, OnStream after = {});

  /// Waits until one get is complete, independently of other gets in flight. Throws as flush();
  /// after an error no get is in flight.
  void wait(GetNumber get);

  /// Waits until every put and get of this rank is complete, at the peer as well. Throws
  /// Error(timeout) or Error(peer_failed) if they cannot complete; the caller may then use the
  /// buffers of its puts and gets again. On networks with remote memory access this rank can no
  /// longer communicate after a timeout.
  void flush();

  /// Makes progress and returns true if every put and get of this rank is complete. Throws
  /// Error(peer_failed) if one failed.
  bool test();
  /// Makes progress and returns true if one get is complete. Throws as test(), if this get failed.
  bool test(GetNumber get);

  /// Calls flush(), then waits for all ranks. Afterwards every rank sees all puts made before the
  /// fence. Collective. Throws as flush().
  void fence();

 private:
  struct State;
  template <class Condition>
  void wait_until(Condition complete, const char* what);
  std::unique_ptr<State> state_;
};

}  // namespace cuboid
