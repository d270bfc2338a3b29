#pragma once

#include <cstdint>

namespace cuboid::detail {

/// Distinguishes the messages in flight: by communicator, collective, sender, channel (a tree of
/// the forest, or a round) and segment. The narrow fields wrap around: sequences and segments need
/// only differ among messages in flight at the same time. Messages with equal tags arrive in the
/// order in which they were sent.
///
/// A point-to-point message belongs to no collective. Its sequence and segment are 0. Its channel
/// is the caller's number with the highest bit set, which no channel of a collective has.
struct Tag {
  static constexpr int context_bits = 14;
  static constexpr int sequence_bits = 8;
  static constexpr int sender_bits = 18;
  static constexpr int channel_bits = 16;
  static constexpr int segment_bits = 8;
  static_assert(context_bits + sequence_bits + sender_bits + channel_bits + segment_bits == 64);

  static constexpr std::uint32_t max_contexts = 1u << context_bits;
  static constexpr std::uint32_t max_ranks = 1u << sender_bits;
  /// The channels of a collective.
  static constexpr std::uint32_t max_channels = 1u << (channel_bits - 1);
  /// The bit that marks a point-to-point channel.
  static constexpr std::uint32_t point_to_point = max_channels;
  /// Channels that no collective uses: for agreements among the surviving ranks of a broken group,
  /// and for the data of puts and gets that the memory's owner serves.
  static constexpr std::uint32_t agreement_channel = max_channels - 3;
  static constexpr std::uint32_t put_channel = max_channels - 2;
  static constexpr std::uint32_t get_channel = max_channels - 1;
  static constexpr std::uint32_t max_collectives_in_flight = 1u << sequence_bits;
  static constexpr std::uint32_t max_segments_in_flight = 1u << segment_bits;

  std::uint32_t context = 0;   ///< the number of the communicator
  std::uint32_t sequence = 0;  ///< the number of the collective within the communicator
  std::uint32_t sender = 0;    ///< the sender's rank in the transport's world
  std::uint32_t channel = 0;
  std::uint32_t segment = 0;

  constexpr std::uint64_t packed() const {
    return field(context, context_bits, sequence_bits + sender_bits + channel_bits + segment_bits) |
           field(sequence, sequence_bits, sender_bits + channel_bits + segment_bits) |
           field(sender, sender_bits, channel_bits + segment_bits) |
           field(channel, channel_bits, segment_bits) | field(segment, segment_bits, 0);
  }

 private:
  static constexpr std::uint64_t field(std::uint32_t value, int bits, int shift) {
    return (std::uint64_t{value} & ((std::uint64_t{1} << bits) - 1)) << shift;
  }
};

}  // namespace cuboid::detail
