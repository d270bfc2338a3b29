// One rank's view of a board, against others' on the same memory.

#include "collectives/node/board.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace board_test {

using namespace std::chrono_literals;

constexpr std::size_t offset = BoardLayout::short_data;

struct Boards {
  explicit Boards(int ranks, std::uint64_t generation = 1, std::size_t number = 0)
      : memory(std::make_shared<BoardMemory>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) views.push_back(view(ranks, rank, number, generation));
  }
  Board view(int ranks, int rank, std::size_t number, std::uint64_t generation) const {
    std::vector<std::size_t> places;
    for (int place = ranks; place-- > 0;) places.push_back(static_cast<std::size_t>(place));
    return Board(memory, number, places, rank, generation);
  }
  std::shared_ptr<BoardMemory> memory;
  std::vector<Board> views;
};

TEST(Board, ShowsWhatOneRankHasWrittenToAllOthers) {
  Boards boards(3);
  const std::uint64_t row = boards.views[0].take_turn(1).first_row;
  EXPECT_EQ(boards.views[1].take_turn(1).first_row, row);
  EXPECT_EQ(boards.views[1].state_of(0, row, 5), Board::RowState::missing);
  std::memcpy(boards.views[0].at(0, row, offset), "word", 5);
  boards.views[0].publish(row, 5);
  for (const Board& reader : boards.views) {
    EXPECT_EQ(reader.state_of(0, row, 5), Board::RowState::written);
    EXPECT_EQ(reader.state_of(0, row, 6), Board::RowState::of_another_call);
    EXPECT_EQ(reader.state_of(1, row, 5), Board::RowState::missing);
    EXPECT_STREQ(reinterpret_cast<const char*>(reader.at(0, row, offset)), "word");
  }
}

TEST(Board, RowIsTakenAgainOnlyWhenAllHaveReadIt) {
  Boards boards(3);
  Board& writer = boards.views[1];
  const std::uint64_t first = writer.take_turn(2 * BoardLayout::rows).first_row;
  const std::uint64_t again = first + BoardLayout::rows;
  for (std::uint64_t row = first; row < again; ++row)
    EXPECT_EQ(writer.first_to_read(0, row), 3) << row - first;
  EXPECT_EQ(writer.first_to_read(0, again), 0);
  boards.views[0].acknowledge(first);
  EXPECT_EQ(writer.first_to_read(0, again), 1);
  boards.views[1].acknowledge(first);
  boards.views[2].acknowledge(first + 1);
  EXPECT_EQ(writer.first_to_read(1, again), 3);
  EXPECT_EQ(writer.first_to_read(0, again + 1), 0);
}

TEST(Board, RowsOfAnEarlierCommunicatorMeanNothingToTheNext) {
  Boards before(2, 7);
  const std::uint64_t old = before.views[0].take_turn(100).first_row;
  before.views[0].publish(old + 99, 1);
  before.views[1].acknowledge(old + 99);
  Board next = before.view(2, 1, 0, 8);
  const std::uint64_t row = next.take_turn(1).first_row;
  EXPECT_EQ(next.state_of(0, row, 1), Board::RowState::missing);
  EXPECT_EQ(next.first_to_read(0, row), 2);
  EXPECT_EQ(next.first_to_read(0, row + BoardLayout::rows), 0);
}

TEST(Board, NumbersAndRanksHaveMemoryOfTheirOwn) {
  constexpr int ranks = 2;
  const auto memory = std::make_shared<BoardMemory>(ranks);
  std::vector<std::byte*> rows;
  for (std::size_t number = 0; number < BoardMemory::boards; ++number) {
    const Board board(memory, number, {0, 1}, 0, 1);
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::uint64_t row = 0; row < BoardLayout::rows; ++row)
        rows.push_back(board.at(rank, row, 0));
    }
  }
  std::ranges::sort(rows);
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_GE(rows[i] - rows[i - 1], static_cast<std::ptrdiff_t>(BoardLayout::bytes_of_row));
}

TEST(Board, IsQuietOnceAllHaveReadAllRows) {
  Boards boards(2);
  EXPECT_TRUE(boards.views[0].is_read_by_all());
  const std::uint64_t row = boards.views[0].take_turn(1).first_row;
  EXPECT_FALSE(boards.views[0].is_read_by_all());
  boards.views[0].acknowledge(row);
  EXPECT_FALSE(boards.views[0].is_read_by_all());
  boards.views[1].acknowledge(row);
  EXPECT_TRUE(boards.views[0].is_read_by_all());
}

TEST(Board, CollectivesHaveTheirTurnsOneAfterTheOther) {
  Boards boards(2);
  Board& board = boards.views[0];
  const Board::Turn first = board.take_turn(3), second = board.take_turn(1);
  EXPECT_EQ(second.first_row, first.first_row + 3);
  EXPECT_TRUE(board.is_on(first));
  EXPECT_FALSE(board.is_on(second));
  board.end_turn();
  EXPECT_TRUE(board.is_on(second));
}

TEST(Board, OffersAreSeenUntilOthersTakeTheirPlaces) {
  Boards boards(2);
  Board &one = boards.views[0], &other = boards.views[1];
  BoardOffer::Content mine{}, seen{};
  mine[7] = std::byte{9};
  const std::uint64_t first = one.next_call();
  EXPECT_EQ(other.next_call(), first);
  EXPECT_EQ(other.offer_of(0, first, seen), Board::OfferState::missing);
  EXPECT_TRUE(one.start_with_offer(first, mine));
  EXPECT_EQ(other.offer_of(0, first, seen), Board::OfferState::made);
  EXPECT_EQ(seen, mine);
  EXPECT_EQ(other.stage_of(0, first), 0u);
  one.reach_stage(first, 3);
  EXPECT_EQ(other.stage_of(0, first), 3u);
  const std::uint64_t second = one.next_call();
  one.start_without_offer(second);
  EXPECT_EQ(other.offer_of(0, second, seen), Board::OfferState::none);
  EXPECT_EQ(other.stage_of(0, second), std::nullopt);
  const std::uint64_t same_place = first + BoardMemory::offers;
  EXPECT_FALSE(one.start_with_offer(same_place, mine));
  EXPECT_EQ(other.offer_of(0, same_place, seen), Board::OfferState::none);
  EXPECT_EQ(other.stage_of(0, first), 3u);
  one.end_offer(first);
  EXPECT_TRUE(one.start_with_offer(same_place + BoardMemory::offers, mine));
  EXPECT_EQ(other.stage_of(0, first), std::nullopt);
  EXPECT_EQ(other.offer_of(0, first, seen), Board::OfferState::none);
}

TEST(Board, WhoSleepsIsWokenByWhatIsWritten) {
  Boards boards(2);
  const std::uint64_t row = boards.views[0].take_turn(1).first_row;
  std::thread reader([&] {
    const auto idle = [&] {
      return boards.views[1].state_of(0, row, 0) == Board::RowState::missing;
    };
    while (idle()) boards.views[1].sleep(10s, boards.views[1].set_of(0), idle);
  });
  while (!boards.memory->any_asleep()) std::this_thread::yield();
  boards.views[0].publish(row, 0);
  // It may have looked just before it said that it sleeps, and be woken by what comes next.
  while (boards.memory->any_asleep()) {
    boards.views[0].acknowledge(row);
    std::this_thread::yield();
  }
  reader.join();
}

TEST(BoardMemory, IsSeenByAllWhoMapIt) {
  BoardMemory mine(2);
  const auto theirs = BoardMemory::map(mine.place(), 2);
  ASSERT_TRUE(theirs);
  mine.close();
  mine.read(1, 3) = 17;
  mine.row(0, 2, 5).written = 6;
  EXPECT_EQ(theirs->read(1, 3), 17U);
  EXPECT_EQ(theirs->row(0, 2, 5).written, 6U);
  EXPECT_EQ(BoardMemory::map(mine.place(), 2), nullptr);
}

}  // namespace board_test
}  // namespace cuboid::detail
