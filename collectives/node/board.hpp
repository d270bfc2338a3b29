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

/// What a row of a board begins with. The data follows.
struct alignas(64) BoardRow {
  std::atomic<std::uint64_t> written;  ///< the row's number plus one; written after everything else
  /// The length of the call, which the ranks must agree upon.
  std::atomic<std::uint64_t> call_bytes;
};

/// What a rank says when it leaves: from then on it writes nothing more to the board. All that
/// other ranks need from it is there already, or will never be.
struct BoardGoodbye {
  std::int32_t subject;          ///< the rank because of which it left, by its number in the world
  std::array<char, 240> reason;  ///< a text; empty if the rank left with its work done
};

/// What a rank offers the others for one collective, beside the rows: where its buffers lie, if
/// that is of use to them. Others may read it while the rank writes a later one, and notice.
struct alignas(64) BoardOffer {
  static constexpr std::size_t most_bytes = 232;
  using Content = std::array<std::byte, most_bytes>;

  std::atomic<std::uint64_t> call;  ///< the collective's number plus one
  std::atomic<std::uint32_t> stage;
  std::array<std::atomic<std::uint64_t>, most_bytes / sizeof(std::uint64_t)> content;
};

/// Memory that all ranks of a node map, for collectives without messages. Each rank has a part that
/// only it writes to. A part has room for the rows of a few communicators; rows that nobody has
/// written take no memory. All of it is zero at first.
class BoardMemory {
 public:
  static constexpr std::size_t boards = 15;  ///< the number of communicators that can have a board
  static constexpr std::size_t offers = 8;   ///< of a rank on each board, at the same time
  static constexpr std::size_t most_bytes_of_a_rank = 4 << 20;

  /// Makes the memory for this number of ranks. Throws Error(out_of_memory).
  explicit BoardMemory(int ranks);
  /// Maps the memory that another process has made; returns nullptr if the system does not allow
  /// it.
  static std::shared_ptr<BoardMemory> map(const SharedSegment::SegmentAddress& place, int ranks);

  SharedSegment::SegmentAddress place() const { return segment_.place(); }
  /// Forbids further processes to map the memory. Processes that have mapped it keep it.
  void close() { segment_.close(); }

  /// The number of rows of a board that the rank in this place has read, of all that were ever
  /// written on the board.
  std::atomic<std::uint64_t>& read(std::size_t place, std::size_t board) const;
  /// The number of collectives that the rank in this place has started on the board.
  std::atomic<std::uint64_t>& started(std::size_t place, std::size_t board) const;
  /// The place of an offer of the rank in this place.
  BoardOffer& offer(std::size_t place, std::size_t board, std::size_t number) const;
  /// A row of the rank in this place, by its number on the board.
  BoardRow& row(std::size_t place, std::size_t board, std::uint64_t number) const;

  /// True if any rank sleeps and wants to be woken when something is written or read. A hint: it
  /// may be late by a moment.
  bool any_asleep() const { return sleepers().load(std::memory_order_relaxed) != 0; }
  /// Says that the rank in this place is about to sleep.
  /// @param awaited  the places of the ranks that may wake it, as a set (see set_of())
  void fall_asleep(std::size_t place, std::uint64_t awaited);
  void wake_up(std::size_t place);
  /// Sleeps until another rank calls wake(), at most for `longest`. Called by the rank in this
  /// place after fall_asleep().
  void sleep(std::size_t place, std::chrono::microseconds longest);
  /// Wakes the rank in `place` if it waits for the rank in the place `by`.
  void wake(std::size_t place, std::size_t by);
  /// Leaves a goodbye for the other ranks. Called by the rank in this place.
  void leave(std::size_t place, const BoardGoodbye& goodbye);
  /// The goodbye of the rank in this place; nullptr if it has not left.
  const BoardGoodbye* goodbye_of(std::size_t place) const;
  /// A set of ranks that contains only this place, as bits. On a node of more than 64 ranks several
  /// places share a bit.
  static std::uint64_t set_of(std::size_t place) { return std::uint64_t{1} << place % 64; }

 private:
  struct alignas(64) Line {
    std::atomic<std::uint64_t> read;
  };
  struct alignas(64) CallsLine {
    std::atomic<std::uint64_t> started;
  };
  // What each part begins with.
  struct Head {
    Line boards[BoardMemory::boards];
    CallsLine calls[BoardMemory::boards];
    BoardOffer offers[BoardMemory::boards][BoardMemory::offers];
    alignas(64) std::atomic<std::uint32_t> asleep;  // a futex: 1 while the rank sleeps
    std::atomic<std::uint64_t> awaited;
    std::atomic<std::uint32_t> left;
    BoardGoodbye goodbye;
    alignas(64) std::atomic<std::uint32_t> sleepers;  // the number of sleeping ranks; used only in
                                                      // the part of rank 0
  };
  // This must not be a power of two: otherwise the same lines of all ranks' parts would compete for
  // the same lines of the caches.
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
/// collectives, alike on all ranks: each collective takes as many numbers as it needs, whether it
/// writes the rows or not. Once all ranks have read row n of rank i, its place becomes row n +
/// BoardLayout::rows. One collective at a time is on the board; the others have their turns in the
/// order in which they were started. A board belongs to one thread.
class Board {
 public:
  /// @param number      the board's number in the memory, the same on all ranks of the communicator
  /// @param places      the places of the communicator's ranks on their node
  /// @param rank        this rank's number in the communicator
  /// @param generation  the communicator's generation, the same on all its ranks. It is larger than
  ///         the generation of any earlier communicator that had the board of this number and one
  ///         of these ranks.
  Board(std::shared_ptr<BoardMemory> memory, std::size_t number, std::vector<std::size_t> places,
        int rank, std::uint64_t generation);

  /// True if a communicator may have the board of this number after one of this generation has had
  /// it.
  static bool may_have(std::uint32_t number, std::uint64_t generation) {
    return number < BoardMemory::boards && generation < most_generations;
  }

  /// A collective's place in the order of the collectives on the board.
  struct Turn {
    std::uint64_t number = 0;
    std::uint64_t first_row = 0;
  };
  /// The turn of a new collective, which takes this number of rows.
  Turn take_turn(std::uint64_t rows);
  bool is_on(const Turn& turn) const { return turn.number == ended_; }
  void end_turn() { ++ended_; }

  int ranks() const { return static_cast<int>(places_.size()); }
  /// The address in a rank's row at this offset in bytes.
  std::byte* at(int rank, std::uint64_t row, std::size_t offset) const {
    return reinterpret_cast<std::byte*>(&row_of(rank, row)) + offset;
  }

  /// The first rank, counted from `rank`, that has not yet read what lies in the place of this row;
  /// ranks() if all have.
  int first_to_read(int rank, std::uint64_t row);
  /// True if this rank has read what lies in the place of the row.
  bool has_read(int rank, std::uint64_t row) const {
    return read_by(rank).load(std::memory_order_acquire) + BoardLayout::rows > row;
  }
  /// Says that this rank's row is written. Everything that this rank wrote to it before is visible
  /// to a rank that sees this.
  void publish(std::uint64_t row, std::uint64_t call_bytes);

  enum class RowState { missing, written, of_another_call };
  /// Says if a rank's row is written, and if for a call of the same length.
  RowState state_of(int rank, std::uint64_t row, std::uint64_t call_bytes) const;
  /// Says that this rank needs all ranks' rows up to this one no more. Must follow its last read of
  /// them.
  void acknowledge(std::uint64_t row);

  /// The number of a new collective, counted through all of the communicator, alike on all ranks.
  std::uint64_t next_call() { return first_ + calls_++; }
  /// Says that this rank has started a collective for which it offers nothing.
  void start_without_offer(std::uint64_t call) {
    calls_of(rank_).store(call + 1, std::memory_order_release);
  }
  /// The same with an offer. It is kept until end_offer(). Returns false, and offers nothing, if
  /// too many offers are kept.
  bool start_with_offer(std::uint64_t call, const BoardOffer::Content& content);
  /// Says how far this rank has come with the call of its offer, by a number that only grows.
  void reach_stage(std::uint64_t call, std::uint32_t stage);
  void end_offer(std::uint64_t call) { has_offer_[call % BoardMemory::offers] = false; }

  enum class OfferState { missing, none, made };
  bool has_started(int rank, std::uint64_t call) const {
    return calls_of(rank).load(std::memory_order_acquire) > call;
  }
  /// Says if a rank has started a collective, and with which offer. An offer that the rank keeps no
  /// longer counts as none.
  OfferState offer_of(int rank, std::uint64_t call, BoardOffer::Content& content) const;
  /// The stage that a rank has reached in the call of an offer; nullopt if it keeps it no longer.
  std::optional<std::uint32_t> stage_of(int rank, std::uint64_t call) const;

  /// True if every rank has read all that was written on this board, so that another communicator
  /// may have its number.
  bool is_read_by_all() const;

  /// Sleeps until one of the awaited ranks has written or read something, at most for `longest`.
  /// @param awaited  a set of ranks (see set_of())
  /// @param idle     asked once more when other ranks can tell that this rank sleeps; returns true
  ///         if there is still nothing to do
  template <class Idle>
  void sleep(std::chrono::microseconds longest, std::uint64_t awaited, const Idle& idle) {
    memory_->fall_asleep(own(), awaited);
    if (idle()) memory_->sleep(own(), longest);
    memory_->wake_up(own());
  }
  /// The goodbye of a rank of the communicator; nullptr if it has not left.
  const BoardGoodbye* goodbye_of(int rank) const {
    return memory_->goodbye_of(places_[static_cast<std::size_t>(rank)]);
  }
  /// A set that contains only this rank.
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
  std::atomic<std::uint64_t>& calls_of(int rank) const {
    return memory_->started(places_[static_cast<std::size_t>(rank)], number_);
  }
  BoardOffer& place_of_offer(int rank, std::uint64_t call) const {
    return memory_->offer(places_[static_cast<std::size_t>(rank)], number_,
                          call % BoardMemory::offers);
  }
  std::size_t own() const { return places_[static_cast<std::size_t>(rank_)]; }
  void wake_others();

  std::shared_ptr<BoardMemory> memory_;
  std::size_t number_;
  std::vector<std::size_t> places_;
  int rank_;
  std::uint64_t first_;     // the first row of this communicator
  std::uint64_t next_;      // the first row of the next collective
  std::uint64_t read_;      // all ranks have read the rows before this one, perhaps more
  std::uint64_t read_now_;  // the least number of rows read by the ranks that first_to_read() has
                            // looked at since
  std::uint64_t calls_ = 0;
  std::array<bool, BoardMemory::offers> has_offer_ = {};
  std::uint64_t turns_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace cuboid::detail
