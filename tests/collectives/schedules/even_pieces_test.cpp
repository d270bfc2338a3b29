// Steps put together do what the many did, in their order.

#include "collectives/schedules/even_pieces.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace even_pieces_test {

constexpr std::size_t no_limit = std::size_t{1} << 40;

Step copy(std::size_t source, std::size_t destination, std::size_t bytes) {
  return {.kind = Step::Kind::copy,
          .bytes = bytes,
          .source = {Area::input, source},
          .destination = {Area::output, destination}};
}

struct Together {
  std::vector<EvenStep> steps;
  Schedule schedule;
};

Together together(const std::vector<Step>& pieces, std::size_t most_bytes = no_limit) {
  ScheduleBuilder builder;
  EvenSteps even(most_bytes, builder);
  for (std::size_t i = 0; i < pieces.size(); ++i) even.add(pieces[i], i, i + 1);
  std::vector<EvenStep> steps = std::move(even).take();
  return {std::move(steps), std::move(builder).finish()};
}

// Which byte goes where, one after the other.
struct Byte {
  std::size_t source;
  std::size_t right;
  std::size_t destination;
  bool operator==(const Byte&) const = default;
};

void append(std::vector<Byte>& bytes, const Step& piece) {
  for (std::size_t i = 0; i < piece.bytes; ++i)
    bytes.push_back({piece.source.offset + i,
                     piece.kind == Step::Kind::combine ? piece.right.offset + i : 0,
                     piece.destination.offset + i});
}

std::vector<Byte> bytes_of(const std::vector<Step>& pieces) {
  std::vector<Byte> bytes;
  for (const Step& piece : pieces) append(bytes, piece);
  return bytes;
}

std::vector<Byte> bytes_of(const Together& all) {
  std::vector<Byte> bytes;
  for (const EvenStep& even : all.steps) {
    all.schedule.for_each_piece(even.step, [&](const Step& piece) {
      EXPECT_EQ(piece.repetition, 0U);
      append(bytes, piece);
    });
  }
  return bytes;
}

std::size_t pieces_of(const Together& all) {
  std::size_t pieces = 0;
  for (const EvenStep& even : all.steps) {
    EXPECT_EQ(even.first, pieces);
    pieces = even.end;
  }
  return pieces;
}

TEST(EvenPieces, ABoxIsOneStep) {
  std::vector<Step> pieces;
  for (std::size_t x = 0; x < 3; ++x) {
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t z = 0; z < 5; ++z)
        pieces.push_back(copy(1000 * z + 100 * y + 10 * x, 7 * pieces.size(), 7));
    }
  }
  const Together all = together(pieces);
  ASSERT_EQ(all.steps.size(), 1U);
  EXPECT_EQ(all.steps[0].end, 60U);
  EXPECT_EQ(bytes_of(all), bytes_of(pieces));
}

TEST(EvenPieces, WhatGoesOnIsOnePiece) {
  const Together all = together({copy(10, 20, 5), copy(15, 25, 3), copy(18, 28, 4)});
  ASSERT_EQ(all.steps.size(), 1U);
  EXPECT_EQ(all.steps[0].step.repetition, 0U);
  EXPECT_EQ(all.steps[0].step.bytes, 12U);
  EXPECT_EQ(all.steps[0].end, 3U);
}

TEST(EvenPieces, BackwardsToo) {
  std::vector<Step> pieces;
  for (std::size_t i = 0; i < 10; ++i) pieces.push_back(copy(8 * i, 8 * (9 - i), 8));
  const Together all = together(pieces);
  EXPECT_EQ(all.steps.size(), 1U);
  EXPECT_EQ(bytes_of(all), bytes_of(pieces));
}

TEST(EvenPieces, AStepCopiesNoMoreThanItMay) {
  std::vector<Step> pieces;
  for (std::size_t i = 0; i < 100; ++i) pieces.push_back(copy(20 * i, 10 * i, 10));
  const Together all = together(pieces, 250);
  EXPECT_EQ(all.steps.size(), 4U);
  EXPECT_EQ(bytes_of(all), bytes_of(pieces));
  // But for a single piece.
  EXPECT_EQ(together({copy(0, 0, 1000)}, 250).steps.size(), 1U);
}

TEST(EvenPieces, DoWhatTheyDidOneByOne) {
  std::mt19937 random(28);
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<Step> pieces;
    const auto any = [&](std::size_t end) { return random() % end; };
    while (pieces.size() < 60) {
      const Step::Kind kind = any(3) == 0 ? Step::Kind::combine : Step::Kind::copy;
      const std::size_t bytes = 1 + any(3);
      const std::size_t distance = any(4);
      const std::size_t first = any(50);
      for (std::size_t i = 0; i < 1 + any(8); ++i) {
        Step piece = copy(first + distance * i, 100 + 2 * i, bytes);
        piece.kind = kind;
        piece.right = {Area::scratch, 3 * i};
        pieces.push_back(piece);
      }
    }
    const Together all = together(pieces, turn % 2 == 0 ? no_limit : 12);
    EXPECT_EQ(pieces_of(all), pieces.size());
    EXPECT_EQ(bytes_of(all), bytes_of(pieces));
  }
}

}  // namespace even_pieces_test
}  // namespace cuboid::detail
