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

/// The puts and gets of a window that are not known to be complete.
class WindowOperations {
 public:
  using GetNumber = Window::GetNumber;

  /// `communicator` is the window's own, kept by reference.
  explicit WindowOperations(const Communicator& communicator);

  /// Takes note of what has been started, if it has. Throws Error(peer_failed) if it has failed.
  /// @param what  "put" or "get".
  void started(const char* what, int peer, std::size_t bytes, const RemoteOperation& operation);
  void started(GetNumber number, RemoteOperation get) { gets_.emplace(number, std::move(get)); }

  /// Whether everything started is complete, as far as is known without making progress. Throws
  /// Error(peer_failed) if it never will be.
  bool complete();
  /// The same of a get.
  bool complete(GetNumber number);

  /// Takes the caller's memory back from the network. What peers still answer cannot be refused.
  void give_up();

  /// Bytes under way, at most.
  std::size_t under_way() const { return under_way_; }
  /// A rank of the communicator, and all peers with operations under way, for messages: by their
  /// numbers in the world.
  std::string name(int rank) const;
  std::string touched_peers() const;

 private:
  using Served = std::shared_ptr<MemoryExchange::RemoteAccess>;
  using Network = std::unique_ptr<RemoteRequest>;

  Transport& transport() const;
  void drop_complete();
  /// Throws where an operation will never be complete.
  void require_possible(const MemoryExchange::RemoteAccess& operation) const;
  [[noreturn]] void throw_lost(const Peers::Failure& failure) const;
  void end_flush();
  void require_connected() const;
  /// A peer that the network moves something to or from, and never will.
  std::optional<int> lost_peer() const;

  const Communicator& communicator_;
  std::vector<Served> served_;            // by their owners' help
  std::uint64_t failures_seen_ = 0;       // when these were last looked at
  std::unique_ptr<RemoteRequest> flush_;  // of what the network had started before it
  bool started_since_ = false;            // it has started more
  std::size_t under_way_ = 0;             // bytes, at most
  std::vector<bool> touched_;             // by peer, since all was complete
  std::map<GetNumber, RemoteOperation> gets_;
};

}  // namespace cuboid::detail
