#pragma once

#include "collectives/node/shared_segment.hpp"
#include "collectives/types/board_layout.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// What a row of a board begins with.
struct alignas(64) BoardRow {
  std::atomic<std::uint64_t> written;     ///< the row's number, and one more; written last
  std::atomic<std::uint64_t> call_bytes;  ///< of the call, which ranks must agree upon
};

/// What a rank says when it is done: all that others need of it is there, or never will be.
struct BoardGoodbye {
  std::int32_t subject;          ///< the rank that it left for, by its number in the world
  std::array<char, 240> reason;  ///< a text; empty where its work was done
};

/// Memory that all ranks of a node map, in which each has a part that only it writes to: a network
/// of its own for their collectives. A part has room for the rows of a few communicators; rows that
/// nobody has written take no memory. Zeroed at first.
class BoardMemory {
 public:
  static constexpr std::size_t boards = 15;  ///< communicators that have one
  static constexpr std::size_t most_bytes_of_a_rank = 4 << 20;

  /// Throws Error(out_of_memory).
  explicit BoardMemory(int ranks);
  /// Of another process; nullptr where it may not be mapped.
  static std::shared_ptr<BoardMemory> map(const SharedSegment::SegmentAddress& place, int ranks);

  SharedSegment::SegmentAddress place() const { return segment_.place(); }
  /// No more processes will map it than have.
  void close() { segment_.close(); }

  /// How many rows of a board a rank has read, of all that were ever written on it.
  std::atomic<std::uint64_t>& read(std::size_t place, std::size_t board) const;
  /// A row of a rank, by its number on the board.
  BoardRow& row(std::size_t place, std::size_t board, std::uint64_t number) const;

  /// Whether any rank sleeps that is to be woken when something is written or read. A hint, which
  /// may come a moment late.
  bool any_asleep() const { return sleepers().load(std::memory_order_relaxed) != 0; }
  /// Says that the rank in this place is about to sleep.
  /// @param awaited  the places of the ranks that are to wake it, as a set (see set_of())
  void fall_asleep(std::size_t place, std::uint64_t awaited);
  void wake_up(std::size_t place);
  /// As the one who has said so: sleeps until another rank calls wake(), or for so long.
  void sleep(std::size_t place, std::chrono::microseconds longest);
  /// Wakes the rank in this place if it waits for the one in the place `by`.
  void wake(std::size_t place, std::size_t by);
  /// As the rank in this place.
  void leave(std::size_t place, const BoardGoodbye& goodbye);
  /// nullptr while a rank has not left.
  const BoardGoodbye* goodbye_of(std::size_t place) const;
  /// A place as one of a set; a few places of a large node are the same.
  static std::uint64_t set_of(std::size_t place) { return std::uint64_t{1} << place % 64; }

 private:
  struct alignas(64) Line {
    std::atomic<std::uint64_t> read;
  };
  // A part begins with these.
  struct Head {
    Line boards[BoardMemory::boards];
    alignas(64) std::atomic<std::uint32_t> asleep;  // a futex
    std::atomic<std::uint64_t> awaited;
    std::atomic<std::uint32_t> left;
    BoardGoodbye goodbye;
    alignas(64) std::atomic<std::uint32_t> sleepers;  // of all ranks; in the first one's part
  };
  // No power of two: else the same lines of all ranks' parts would fall on the same lines of
  // caches.
  static constexpr std::size_t bytes_of_a_rank =
      sizeof(Head) + 5 * sizeof(Line) + boards * BoardLayout::rows * BoardLayout::bytes_of_row;
  static_assert(bytes_of_a_rank <= most_bytes_of_a_rank);
  static_assert(bytes_of_a_rank % sizeof(Line) == 0);

  explicit BoardMemory(SharedSegment segment) : segment_(std::move(segment)) {}
  std::byte* part(std::size_t place) const {
    return segment_.bytes().data() + place * bytes_of_a_rank;
  }
  Head& head(std::size_t place) const { return *reinterpret_cast<Head*>(part(place)); }
  std::atomic<std::uint32_t>& sleepers() const { return head(0).sleepers; }

  SharedSegment segment_;
};

/// The board of one communicator, as one of its ranks sees it. Its rows are numbered through all
/// collectives, alike on all ranks: each takes as many as it needs, written or not. Rank i's row n
/// can be written again as row n + BoardLayout::rows once all ranks have read it. One collective at
/// a time is on the board; the others have their turns in the order in which they were started.
/// Belongs to one thread.
class Board {
 public:
  /// @param number      of the board, among those of the memory: the same on all its ranks
  /// @param places      of the communicator's ranks on their node
  /// @param generation  of the communicator, the same on all its ranks: later than any that had one
  /// of its ranks and a board of this number before
  Board(std::shared_ptr<BoardMemory> memory, std::size_t number, std::vector<std::size_t> places,
        int rank, std::uint64_t generation);

  /// Whether a communicator of this number, and the generation after this one, may have a board.
  static bool may_have(std::uint32_t number, std::uint64_t generation) {
    return number < BoardMemory::boards && generation < most_generations;
  }

  /// A collective's place among those on the board.
  struct Turn {
    std::uint64_t number = 0;
    std::uint64_t first_row = 0;
  };
  /// Of one that takes so many rows.
  Turn take_turn(std::uint64_t rows);
  bool is_on(const Turn& turn) const { return turn.number == ended_; }
  void end_turn() { ++ended_; }

  int ranks() const { return static_cast<int>(places_.size()); }
  /// Where something lies in a rank's row.
  std::byte* at(int rank, std::uint64_t row, std::size_t offset) const {
    return reinterpret_cast<std::byte*>(&row_of(rank, row)) + offset;
  }

  /// Whether all ranks from `rank` on have read what is in the place of this row; the first that
  /// has not, or ranks().
  int first_to_read(int rank, std::uint64_t row);
  /// Whether a rank has read what is in the place of this row.
  bool has_read(int rank, std::uint64_t row) const {
    return read_by(rank).load(std::memory_order_acquire) + BoardLayout::rows > row;
  }
  /// Says that this rank's row is written; after all that was written to it.
  void publish(std::uint64_t row, std::uint64_t call_bytes);

  enum class RowState { missing, written, of_another_call };
  /// Whether a rank's row is written.
  RowState state_of(int rank, std::uint64_t row, std::uint64_t call_bytes) const;
  /// Says that this rank needs nothing more of all ranks' rows up to this one; after all that it
  /// has read of them.
  void acknowledge(std::uint64_t row);

  /// Whether every rank has read all that this one has written, so that the number may be another
  /// communicator's.
  bool is_read_by_all() const;

  /// Sleeps for so long, or until one of the ranks awaited has written or read something.
  /// @param awaited  see set_of()
  /// @param idle     whether there is still nothing to do, once others can tell that this rank
  ///     sleeps
  template <class Idle>
  void sleep(std::chrono::microseconds longest, std::uint64_t awaited, const Idle& idle) {
    memory_->fall_asleep(own(), awaited);
    if (idle()) memory_->sleep(own(), longest);
    memory_->wake_up(own());
  }
  /// nullptr while a rank has not left.
  const BoardGoodbye* goodbye_of(int rank) const {
    return memory_->goodbye_of(places_[static_cast<std::size_t>(rank)]);
  }
  /// A rank as one of a set of them.
  std::uint64_t set_of(int rank) const {
    return BoardMemory::set_of(places_[static_cast<std::size_t>(rank)]);
  }

 private:
  static constexpr int row_bits = 42;
  static constexpr std::uint64_t most_generations = std::uint64_t{1} << (64 - row_bits);

  BoardRow& row_of(int rank, std::uint64_t row) const {
    return memory_->row(places_[static_cast<std::size_t>(rank)], number_, row);
  }
  std::atomic<std::uint64_t>& read_by(int rank) const {
    return memory_->read(places_[static_cast<std::size_t>(rank)], number_);
  }
  std::size_t own() const { return places_[static_cast<std::size_t>(rank_)]; }
  void wake_others();

  std::shared_ptr<BoardMemory> memory_;
  std::size_t number_;
  std::vector<std::size_t> places_;
  int rank_;
  std::uint64_t first_;     // row of this communicator
  std::uint64_t next_;      // row of the next collective
  std::uint64_t read_;      // rows that all have read, at least
  std::uint64_t read_now_;  // of those looked at since
  std::uint64_t turns_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace cuboid::detail
