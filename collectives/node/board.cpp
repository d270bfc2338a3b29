#include "collectives/node/board.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

void call_futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value,
                const timespec* time) {
  syscall(SYS_futex, &word, what, value, time, nullptr, 0);
}

}  // namespace

// All of this memory is zero at the beginning, as mapped files are.
BoardMemory::BoardMemory(int ranks) : segment_(static_cast<std::size_t>(ranks) * bytes_of_a_rank) {}

std::shared_ptr<BoardMemory> BoardMemory::map(const SharedSegment::SegmentAddress& place,
                                              int ranks) {
  auto segment = SharedSegment::map(place, static_cast<std::size_t>(ranks) * bytes_of_a_rank);
  if (!segment) return nullptr;
  return std::shared_ptr<BoardMemory>(new BoardMemory(std::move(*segment)));
}

std::atomic<std::uint64_t>& BoardMemory::read(std::size_t place, std::size_t board) const {
  return head(place).boards[board].read;
}

std::atomic<std::uint64_t>& BoardMemory::started(std::size_t place, std::size_t board) const {
  return head(place).calls[board].started;
}

BoardOffer& BoardMemory::offer(std::size_t place, std::size_t board, std::size_t number) const {
  return head(place).offers[board][number];
}

BoardRow& BoardMemory::row(std::size_t place, std::size_t board, std::uint64_t number) const {
  const std::size_t before = board * BoardLayout::rows + number % BoardLayout::rows;
  return *reinterpret_cast<BoardRow*>(part(place) + sizeof(Head) +
                                      before * BoardLayout::bytes_of_row);
}

void BoardMemory::fall_asleep(std::size_t place, std::uint64_t awaited) {
  head(place).awaited.store(awaited, std::memory_order_relaxed);
  if (head(place).asleep.exchange(1) == 0) ++sleepers();
}

void BoardMemory::wake_up(std::size_t place) {
  if (head(place).asleep.exchange(0) != 0) --sleepers();
}

void BoardMemory::sleep(std::size_t place, std::chrono::microseconds longest) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
  const timespec time{seconds.count(), std::chrono::nanoseconds(longest - seconds).count()};
  call_futex(head(place).asleep, FUTEX_WAIT, 1, &time);
}

void BoardMemory::wake(std::size_t place, std::size_t by) {
  if (head(place).asleep.load(std::memory_order_acquire) == 0) return;
  if ((head(place).awaited.load(std::memory_order_relaxed) & set_of(by)) == 0) return;
  wake_up(place);
  call_futex(head(place).asleep, FUTEX_WAKE, 1, nullptr);
}

void BoardMemory::leave(std::size_t place, const BoardGoodbye& goodbye) {
  head(place).goodbye = goodbye;
  head(place).left.store(1, std::memory_order_release);
}

const BoardGoodbye* BoardMemory::goodbye_of(std::size_t place) const {
  const bool left = head(place).left.load(std::memory_order_acquire) != 0;
  return left ? &head(place).goodbye : nullptr;
}

Board::Board(std::shared_ptr<BoardMemory> memory, std::size_t number,
             std::vector<std::size_t> places, int rank, std::uint64_t generation)
    : memory_(std::move(memory)),
      number_(number),
      places_(std::move(places)),
      rank_(rank),
      first_(generation << row_bits),
      next_(first_),
      read_(first_),
      read_now_(first_) {}

Board::Turn Board::take_turn(std::uint64_t rows) {
  return {turns_++, std::exchange(next_, next_ + rows)};
}

int Board::first_to_read(int rank, std::uint64_t row) {
  const std::uint64_t needed = row + 1 - BoardLayout::rows;
  if (needed <= read_) return ranks();
  if (rank == 0) read_now_ = next_;
  for (; rank < ranks(); ++rank) {
    const std::uint64_t read = read_by(rank).load(std::memory_order_acquire);
    if (read < needed) return rank;
    read_now_ = std::min(read_now_, read);
  }
  read_ = read_now_;
  return rank;
}

void Board::publish(std::uint64_t row, std::uint64_t call_bytes) {
  BoardRow& mine = row_of(rank_, row);
  mine.call_bytes.store(call_bytes, std::memory_order_relaxed);
  mine.written.store(row + 1, std::memory_order_release);
  wake_others();
}

// A row without data may be written again while other ranks still look at it. A later number in the
// row therefore says, too, that the earlier row was written.
Board::RowState Board::state_of(int rank, std::uint64_t row, std::uint64_t call_bytes) const {
  const BoardRow& its = row_of(rank, row);
  const std::uint64_t written = its.written.load(std::memory_order_acquire);
  if (written <= row) return RowState::missing;
  if (written > row + 1 || its.call_bytes.load(std::memory_order_relaxed) == call_bytes)
    return RowState::written;
  return RowState::of_another_call;
}

void Board::acknowledge(std::uint64_t row) {
  read_by(rank_).store(row + 1, std::memory_order_release);
  wake_others();
}

// Who reads the content while it is replaced must see another call's number afterwards: so the
// number is taken away before the content changes.
bool Board::start_with_offer(std::uint64_t call, const BoardOffer::Content& content) {
  bool& kept = has_offer_[call % BoardMemory::offers];
  const bool makes_it = !std::exchange(kept, true);
  if (makes_it) {
    BoardOffer& offer = place_of_offer(rank_, call);
    offer.call.store(0, std::memory_order_relaxed);
    offer.stage.store(0, std::memory_order_release);
    for (std::size_t i = 0; i < offer.content.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, content.data() + i * sizeof word, sizeof word);
      offer.content[i].store(word, std::memory_order_release);
    }
    offer.call.store(call + 1, std::memory_order_release);
  }
  start_without_offer(call);
  wake_others();
  return makes_it;
}

void Board::reach_stage(std::uint64_t call, std::uint32_t stage) {
  place_of_offer(rank_, call).stage.store(stage, std::memory_order_release);
  wake_others();
}

Board::OfferState Board::offer_of(int rank, std::uint64_t call,
                                  BoardOffer::Content& content) const {
  if (!has_started(rank, call)) return OfferState::missing;
  const BoardOffer& offer = place_of_offer(rank, call);
  if (offer.call.load(std::memory_order_acquire) != call + 1) return OfferState::none;
  for (std::size_t i = 0; i < offer.content.size(); ++i) {
    const std::uint64_t word = offer.content[i].load(std::memory_order_acquire);
    std::memcpy(content.data() + i * sizeof word, &word, sizeof word);
  }
  const bool same = offer.call.load(std::memory_order_relaxed) == call + 1;
  return same ? OfferState::made : OfferState::none;
}

std::optional<std::uint32_t> Board::stage_of(int rank, std::uint64_t call) const {
  const BoardOffer& offer = place_of_offer(rank, call);
  const std::uint32_t stage = offer.stage.load(std::memory_order_acquire);
  if (offer.call.load(std::memory_order_relaxed) != call + 1) return std::nullopt;
  return stage;
}

bool Board::is_read_by_all() const {
  for (int rank = 0; rank < ranks(); ++rank) {
    if (next_ > first_ && read_by(rank).load(std::memory_order_acquire) < next_) return false;
  }
  return true;
}

void Board::wake_others() {
  if (!memory_->any_asleep()) return;
  for (const std::size_t place : places_) {
    if (place != own()) memory_->wake(place, own());
  }
}

}  // namespace cuboid::detail
