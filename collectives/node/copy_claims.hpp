#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// Who copies which pieces of a long message, in a cache line that sender and receiver share: the
/// receiver claims pieces from the back and reads them from the sender's memory. Where it wants
/// help, the sender meanwhile claims pieces from the front and sends them through segments: who
/// copies faster copies more, and nobody waits for a sender that does something else.
class alignas(64) CopyClaims {
 public:
  static constexpr std::uint64_t most_pieces = (1u << 20) - 1;

  /// Pieces that follow one another.
  struct ClaimedPieces {
    std::uint64_t first;
    std::uint64_t count;
  };

  /// As the sender: none is claimed of the message with this ticket.
  void open(std::uint64_t ticket) {
    word_.store(pack({kept_bits(ticket), false, 0, 0}), std::memory_order_relaxed);
  }
  /// As the sender: claims of this ticket fail from now on.
  void close(std::uint64_t ticket) {
    word_.store(pack({kept_bits(ticket + 1), false, 0, 0}), std::memory_order_relaxed);
  }

  /// Whether it is still about this ticket.
  bool concerns(std::uint64_t ticket) const;
  /// As the sender: whether the receiver wants help, and some of so many pieces are left.
  bool wants_help(std::uint64_t ticket, std::uint64_t pieces) const;
  /// As the sender: the next piece from the front.
  std::optional<std::uint64_t> claim_front(std::uint64_t ticket, std::uint64_t pieces);
  /// As the receiver: `most` of those left at most, the last of them. With help wanted a share of
  /// those left that keeps both busy until the end: half of what each of the two would get
  /// (factoring: Hummel, Schonberg and Flynn 1992).
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
