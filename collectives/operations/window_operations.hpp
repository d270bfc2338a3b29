#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/window.hpp>

#include "collectives/transport/remote_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The puts and gets of a window that may still be under way.
class WindowOperations {
 public:
  using GetNumber = Window::GetNumber;

  /// @param communicator  the window's own; must outlive the object
  explicit WindowOperations(const Communicator& communicator);

  /// Takes note of an operation, unless it is complete already. Throws Error(peer_failed) if it has
  /// failed.
  /// @param what  "put" or "get"
  void started(const char* what, int peer, std::size_t bytes, const RemoteOperation& operation);
  void started(GetNumber number, RemoteOperation get) { gets_.emplace(number, std::move(get)); }

  /// True if all operations are complete, as far as is known without progress. Throws
  /// Error(peer_failed) if some operation never will be.
  bool complete();
  /// The same for one get.
  bool complete(GetNumber number);

  /// Takes the caller's memory back from the network. Takes no further part in communication if the
  /// network's own operations cannot be ended.
  void give_up();

  /// An upper bound of the bytes under way.
  std::size_t under_way() const { return under_way_; }
  /// The names of a rank of the communicator, and of all peers with operations under way. For error
  /// texts; they contain the ranks' numbers in the world.
  std::string name(int rank) const;
  std::string touched_peers() const;

 private:
  using Served = std::shared_ptr<MemoryExchange::RemoteAccess>;
  using Network = std::unique_ptr<RemoteRequest>;

  Transport& transport() const;
  void drop_complete();
  /// Throws if an operation will never be complete.
  void require_possible(const MemoryExchange::RemoteAccess& operation) const;
  [[noreturn]] void throw_lost(const Peers::Failure& failure) const;
  void end_flush();
  void require_connected() const;
  /// A peer that the network moves data to or from although the connection has ended; nullopt if
  /// there is none.
  std::optional<int> lost_peer() const;

  const Communicator& communicator_;
  std::vector<Served> served_;       // operations that their owners serve
  std::uint64_t failures_seen_ = 0;  // the peers' failures when the operations were last looked at
  // The flush of the operations that the network had started before it.
  std::unique_ptr<RemoteRequest> flush_;
  bool started_since_ = false;  // the network has started more operations since the flush
  std::size_t under_way_ = 0;   // an upper bound of the bytes
  std::vector<bool> touched_;   // by peer: true if it had operations since all were complete
  std::map<GetNumber, RemoteOperation> gets_;
};

}  // namespace cuboid::detail
