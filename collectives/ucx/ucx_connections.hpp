#pragma once

#include "collectives/ucx/compressed_addresses.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <ucp/api/ucp.h>

namespace cuboid::detail {

/// This rank's UCX endpoints, one per peer, opened when they are first needed.
class UcxConnections {
 public:
  /// Called from inside UCX when a connection has ended by itself.
  using Ended = std::function<void(int peer, ucs_status_t reason)>;

  /// @param addresses  the addresses of all workers, by rank
  UcxConnections(ucp_worker_h worker, const std::vector<std::vector<std::byte>>& addresses,
                 Ended ended);
  UcxConnections(const UcxConnections&) = delete;
  UcxConnections& operator=(const UcxConnections&) = delete;

  int size() const { return static_cast<int>(endpoints_.size()); }
  ucp_worker_h worker() const { return worker_; }

  /// The endpoint of an open connection; nullptr if the connection is not open.
  ucp_ep_h endpoint(int peer) const { return endpoints_[static_cast<std::size_t>(peer)]; }
  /// True if UCX has reported the end of the connection.
  bool has_ended(int peer) const { return ended_peers_[static_cast<std::size_t>(peer)]; }

  /// Opens a connection. Lets UCX work first. Must not be called from inside UCX, because UCX's TCP
  /// crashes then.
  ucs_status_t open(int peer);
  /// Starts to close a connection. What was sent on it leaves first.
  void close(int peer);
  /// Starts to close a connection without that wait: transfers under way end as failed.
  void cut(int peer);
  /// True if all connections that were to be closed are closed.
  bool closed();
  /// Stops waiting for connections that are being closed.
  void forget_closing();

 private:
  void close(int peer, unsigned flags);
  static void on_error(void* self, ucp_ep_h endpoint, ucs_status_t status);

  ucp_worker_h worker_;
  CompressedAddresses addresses_;
  std::vector<ucp_ep_h> endpoints_;
  std::vector<bool> ended_peers_;
  std::vector<void*> closing_;
  Ended ended_;
};

}  // namespace cuboid::detail
