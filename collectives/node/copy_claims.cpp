#include "collectives/node/copy_claims.hpp"

#include <algorithm>

namespace cuboid::detail {

// Sender and receiver only agree here who copies which piece. The data itself is published by the
// mailbox's entries, so relaxed accesses suffice.

std::uint64_t CopyClaims::kept_bits(std::uint64_t ticket) {
  constexpr std::uint64_t kept = (std::uint64_t{1} << (63 - 2 * piece_bits)) - 1;
  return ticket & kept;
}

std::uint64_t CopyClaims::pack(const Fields& fields) {
  return fields.ticket << (2 * piece_bits + 1) | std::uint64_t{fields.help} << 2 * piece_bits |
         fields.front << piece_bits | fields.back;
}

CopyClaims::Fields CopyClaims::unpack(std::uint64_t word) {
  return {.ticket = word >> (2 * piece_bits + 1),
          .help = (word >> 2 * piece_bits & 1) != 0,
          .front = word >> piece_bits & most_pieces,
          .back = word & most_pieces};
}

bool CopyClaims::concerns(std::uint64_t ticket) const {
  return unpack(word_.load(std::memory_order_relaxed)).ticket == kept_bits(ticket);
}

bool CopyClaims::wants_help(std::uint64_t ticket, std::uint64_t pieces) const {
  const Fields now = unpack(word_.load(std::memory_order_relaxed));
  return now.help && now.ticket == kept_bits(ticket) && now.front + now.back < pieces;
}

std::optional<std::uint64_t> CopyClaims::claim_front(std::uint64_t ticket, std::uint64_t pieces) {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    Fields next = unpack(word);
    if (next.ticket != kept_bits(ticket) || next.front + next.back >= pieces) return std::nullopt;
    const std::uint64_t piece = next.front++;
    if (word_.compare_exchange_weak(word, pack(next), std::memory_order_relaxed)) return piece;
  }
}

std::optional<CopyClaims::ClaimedPieces> CopyClaims::claim_back(std::uint64_t ticket,
                                                                std::uint64_t pieces,
                                                                std::uint64_t most,
                                                                bool with_help) {
  constexpr std::uint64_t workers = 2;
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    Fields next = unpack(word);
    if (next.ticket != kept_bits(ticket) || next.front + next.back >= pieces) return std::nullopt;
    const std::uint64_t left = pieces - next.front - next.back;
    const std::uint64_t share = with_help ? left / (2 * workers) : left;
    const std::uint64_t count = std::max<std::uint64_t>(std::min(share, most), 1);
    next.back += count;
    next.help = with_help;
    if (word_.compare_exchange_weak(word, pack(next), std::memory_order_relaxed))
      return ClaimedPieces{pieces - next.back, count};
  }
}

}  // namespace cuboid::detail
