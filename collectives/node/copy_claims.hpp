#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// Who copies which pieces of a long message, in a cache line that sender and receiver share. The
/// receiver claims pieces from the back and reads them from the sender's memory. If it wants help,
/// the sender meanwhile claims pieces from the front and sends them through segments. Who copies
/// faster copies more, and the receiver never waits for a sender that does something else.
class alignas(64) CopyClaims {
 public:
  static constexpr std::uint64_t most_pieces = (1u << 20) - 1;

  /// Pieces that follow one another.
  struct ClaimedPieces {
    std::uint64_t first;
    std::uint64_t count;
  };

  /// Says that no piece is claimed yet of the message with this ticket. Called by the sender.
  void open(std::uint64_t ticket) {
    word_.store(pack({kept_bits(ticket), false, 0, 0}), std::memory_order_relaxed);
  }
  /// Makes all later claims under this ticket fail. Called by the sender.
  void close(std::uint64_t ticket) {
    word_.store(pack({kept_bits(ticket + 1), false, 0, 0}), std::memory_order_relaxed);
  }

  /// True if the line still belongs to the message with this ticket.
  bool concerns(std::uint64_t ticket) const;
  /// True if the receiver wants help and not all of the `pieces` are claimed. Called by the sender.
  bool wants_help(std::uint64_t ticket, std::uint64_t pieces) const;
  /// Claims the next piece from the front; returns nothing if none is left. Called by the sender.
  std::optional<std::uint64_t> claim_front(std::uint64_t ticket, std::uint64_t pieces);
  /// Claims up to `most` of the last pieces that are left; returns nothing if none is left. Called
  /// by the receiver. If it wants help it claims a quarter of the pieces left, half of what each of
  /// the two would get: so both stay busy until the end (factoring: Hummel, Schonberg and Flynn
  /// 1992).
  std::optional<ClaimedPieces> claim_back(std::uint64_t ticket, std::uint64_t pieces,
                                          std::uint64_t most, bool with_help);

 private:
  static constexpr int piece_bits = 20;
  struct Fields {
    std::uint64_t ticket;
    bool help;
    std::uint64_t front;
    std::uint64_t back;
  };
  static std::uint64_t pack(const Fields& fields);
  static Fields unpack(std::uint64_t word);
  static std::uint64_t kept_bits(std::uint64_t ticket);

  std::atomic<std::uint64_t> word_ = 0;
};

}  // namespace cuboid::detail
