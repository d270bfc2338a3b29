#pragma once

#include <cstdint>

namespace cuboid {

/// Payload that this rank exchanged with a peer, headers not counted.
struct Traffic {
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;

  /// Adds the traffic with another peer.
  Traffic& operator+=(const Traffic& other) {
    bytes_sent += other.bytes_sent;
    bytes_received += other.bytes_received;
    messages_sent += other.messages_sent;
    messages_received += other.messages_received;
    return *this;
  }
  /// The traffic since an earlier reading.
  Traffic operator-(const Traffic& earlier) const {
    return {bytes_sent - earlier.bytes_sent, bytes_received - earlier.bytes_received,
            messages_sent - earlier.messages_sent, messages_received - earlier.messages_received};
  }
};

}  // namespace cuboid
