#include "collectives/transport/reclaim_buffers.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace cuboid::detail {

void reclaim_buffers(Transport& transport, std::span<PendingTransfer* const> transfers,
                     const std::string& operation) {
  constexpr std::chrono::seconds patience{1};
  if (transport.peers().quarantined()) return;
  const auto pending = [](const PendingTransfer* transfer) { return transfer->pending(); };
  const auto all_end = [&] {
    const auto until = Clock::now() + patience;
    while (std::ranges::any_of(transfers, pending) && Clock::now() < until) transport.progress();
    return std::ranges::none_of(transfers, pending);
  };
  for (PendingTransfer* const transfer : transfers) {
    // All other sends end when their data has left, or with the connection.
    if (transfer->receiving || transfer->unacknowledged || transfer->in_mailbox || transfer->held)
      transport.messages().cancel(*transfer);
  }
  if (all_end()) return;
  std::set<int> stuck;
  for (const PendingTransfer* const transfer : transfers) {
    if (transfer->pending()) stuck.insert(transfer->peer);
  }
  for (const int peer : stuck) transport.peers().disconnect(peer);
  if (!all_end()) transport.peers().quarantine("transfers of " + operation + " do not end");
}

}  // namespace cuboid::detail
