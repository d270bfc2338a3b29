#include "collectives/node/copy_claims.hpp"

#include <algorithm>

namespace cuboid::detail {

std::uint64_t CopyClaims::kept_bits(std::uint64_t ticket) {
  constexpr std::uint64_t kept = (std::uint64_t{1} << (64 - 2 * piece_bits)) - 1;
  return ticket & kept;
}

std::uint64_t CopyClaims::pack(std::uint64_t ticket, std::uint64_t front, std::uint64_t back) {
  return kept_bits(ticket) << 2 * piece_bits | front << piece_bits | back;
}

CopyClaims::Fields CopyClaims::unpack(std::uint64_t word) {
  return {.ticket = word >> 2 * piece_bits,
          .front = word >> piece_bits & most_pieces,
          .back = word & most_pieces};
}

// Only who copies which piece is agreed upon here: the data itself is published by the mailbox's
// entries. So no order of memory is needed.

bool CopyClaims::concerns(std::uint64_t ticket) const {
  return unpack(word_.load(std::memory_order_relaxed)).ticket == kept_bits(ticket);
}

bool CopyClaims::wants_help(std::uint64_t ticket, std::uint64_t pieces) const {
  const Fields now = unpack(word_.load(std::memory_order_relaxed));
  return now.ticket == kept_bits(ticket) && now.back > 0 && now.front + now.back < pieces;
}

std::optional<std::uint64_t> CopyClaims::claim_front(std::uint64_t ticket, std::uint64_t pieces) {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const Fields now = unpack(word);
    if (now.ticket != kept_bits(ticket) || now.front + now.back >= pieces) return std::nullopt;
    if (word_.compare_exchange_weak(word, pack(ticket, now.front + 1, now.back),
                                    std::memory_order_relaxed))
      return now.front;
  }
}

std::optional<CopyClaims::Range> CopyClaims::claim_back(std::uint64_t ticket, std::uint64_t pieces,
                                                        std::uint64_t most) {
  constexpr std::uint64_t workers = 2;
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const Fields now = unpack(word);
    if (now.ticket != kept_bits(ticket) || now.front + now.back >= pieces) return std::nullopt;
    const std::uint64_t left = pieces - now.front - now.back;
    const std::uint64_t share =
        std::clamp<std::uint64_t>(left / (2 * workers), 1, std::max<std::uint64_t>(most, 1));
    const std::uint64_t back = now.back + share;
    if (word_.compare_exchange_weak(word, pack(ticket, now.front, back), std::memory_order_relaxed))
      return Range{pieces - back, share};
  }
}

}  // namespace cuboid::detail
