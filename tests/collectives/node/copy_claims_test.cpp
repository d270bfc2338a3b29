#include "collectives/node/copy_claims.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace copy_claims_test {

/// Counts how often each piece was claimed.
struct Claimed {
  explicit Claimed(std::uint64_t pieces) : times(pieces) {}
  void add(const CopyClaims::ClaimedPieces& range) {
    ASSERT_GE(range.count, 1u);
    ASSERT_LE(range.first + range.count, times.size());
    for (std::uint64_t i = 0; i < range.count; ++i) ++times[range.first + i];
  }
  std::vector<int> times;
};

TEST(CopyClaims, GiveEveryPieceToOneOfBoth) {
  std::mt19937_64 random(7);
  for (int message = 0; message < 2000; ++message) {
    const std::uint64_t ticket = random();
    const std::uint64_t pieces = 1 + random() % 300;
    const std::uint64_t most = random() % 20;
    CopyClaims claims;
    claims.open(ticket);
    Claimed claimed(pieces);
    EXPECT_FALSE(claims.wants_help(ticket, pieces));  // not before the receiver says so
    bool with_help = false;
    for (bool left = true; left;) {
      left = false;
      if (random() % 3 == 0) {
        const bool help = random() % 2 == 0;
        const auto range = claims.claim_back(ticket, pieces, most, help);
        if (range) {
          claimed.add(*range);
          EXPECT_LE(range->count, std::max<std::uint64_t>(most, 1));
        }
        left = range.has_value();
        if (left) with_help = help;
      } else {
        const bool wanted = claims.wants_help(ticket, pieces);
        const auto piece = claims.claim_front(ticket, pieces);
        if (piece) claimed.add({*piece, 1});
        EXPECT_EQ(wanted, with_help && piece.has_value());
        left = piece.has_value();
      }
    }
    for (const int times : claimed.times) ASSERT_EQ(times, 1);
  }
}

TEST(CopyClaims, OfAnotherTicketFail) {
  CopyClaims claims;
  claims.open(5);
  EXPECT_TRUE(claims.concerns(5));
  EXPECT_FALSE(claims.concerns(6));
  EXPECT_FALSE(claims.claim_back(6, 10, 1, true));
  EXPECT_FALSE(claims.claim_front(4, 10));
  ASSERT_TRUE(claims.claim_back(5, 10, 1, true));
  claims.close(5);
  EXPECT_FALSE(claims.concerns(5));
  EXPECT_FALSE(claims.wants_help(5, 10));
  EXPECT_FALSE(claims.claim_back(5, 10, 1, true));
  EXPECT_FALSE(claims.claim_front(5, 10));
}

TEST(CopyClaims, CountAsManyPiecesAsThereMayBe) {
  CopyClaims claims;
  claims.open(~std::uint64_t{0});
  std::uint64_t pieces = 0;
  while (const auto range = claims.claim_back(~std::uint64_t{0}, CopyClaims::most_pieces,
                                              CopyClaims::most_pieces, true))
    pieces += range->count;
  EXPECT_EQ(pieces, CopyClaims::most_pieces);
  EXPECT_TRUE(claims.concerns(~std::uint64_t{0}));
}

TEST(CopyClaims, WithoutHelpAreAsManyAsMayBe) {
  CopyClaims claims;
  claims.open(1);
  const auto first = claims.claim_back(1, 100, 30, false);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->first, 70u);
  EXPECT_EQ(first->count, 30u);
  EXPECT_FALSE(claims.wants_help(1, 100));
  const auto rest = claims.claim_back(1, 100, 100, false);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->first, 0u);
  EXPECT_EQ(rest->count, 70u);
}

TEST(CopyClaims, OfTwoThreadsDoNotOverlap) {
  constexpr std::uint64_t pieces = 5000;
  for (std::uint64_t ticket = 0; ticket < 20; ++ticket) {
    CopyClaims claims;
    claims.open(ticket);
    Claimed front(pieces);
    Claimed back(pieces);
    std::thread reader([&] {
      while (const auto range = claims.claim_back(ticket, pieces, 3, true)) back.add(*range);
    });
    while (const auto piece = claims.claim_front(ticket, pieces)) front.add({*piece, 1});
    reader.join();
    for (std::uint64_t i = 0; i < pieces; ++i) ASSERT_EQ(front.times[i] + back.times[i], 1);
  }
}

}  // namespace copy_claims_test
}  // namespace cuboid::detail
