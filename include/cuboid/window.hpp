#pragma once

#include <cuboid/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cuboid {

/// Memory of every rank that the others may read and write without its help. Made and destroyed
/// collectively. The memory belongs to the window and is shared with the ranks of the same node
/// where the transport can. Networks with remote memory access (RDMA) serve puts and gets by
/// themselves; on all others the owner of the memory does, whenever it is inside a Cuboid call. Its
/// fences meet no other operations of the communicator.
class Window {
 public:
  /// `bytes` of zeroed memory on this rank; ranks may ask for different amounts. Collective. Throws
  /// Error(out_of_memory) on every rank when one has no room.
  Window(const Communicator& communicator, std::size_t bytes);
  Window(Window&&) noexcept;
  Window& operator=(Window&&) noexcept;
  /// Collective: waits for all ranks (within the deadline), so that no rank's memory goes while
  /// another reads it.
  ~Window();

  /// This rank's own memory.
  std::span<std::byte> local() const;
  /// Bytes of a peer's memory.
  std::size_t bytes(int peer) const;

  /// A peer's memory to load from and store to directly; empty where it is not shared with us
  /// (another node).
  std::span<std::byte> direct(int peer) const;

  /// Which of this window's gets, in the order in which they were started.
  enum class GetNumber : std::uint64_t {};

  /// Copies to or from a peer's memory, starting at byte `offset` there. Returns at once; `mine`
  /// must stay untouched until flush(), or wait() for a get. Errors: Error(invalid_argument) for a
  /// range outside the peer's memory.
  void put(std::span<const std::byte> mine, int peer, std::size_t offset);
  GetNumber get(std::span<std::byte> mine, int peer, std::size_t offset);

  /// Waits until all that a get copies is there, whatever else is under way. Throws as flush(),
  /// after which no get is under way any more.
  void wait(GetNumber get);

  /// Waits until every put and get of this rank is complete, at the peer as well. Throws
  /// Error(timeout) or Error(peer_failed) when they will not be, and `mine` is the caller's again.
  /// On networks with remote memory access this rank can communicate no more after a timeout.
  void flush();

  /// Makes progress and says whether they are complete already. Throws Error(peer_failed) where one
  /// failed.
  bool test();

  /// flush(), then waits for all ranks: afterwards every rank sees every put made before it.
  /// Collective.
  void fence();

 private:
  struct State;
  template <class Condition>
  void wait_until(Condition complete, const char* what);
  std::unique_ptr<State> state_;
};

}  // namespace cuboid
