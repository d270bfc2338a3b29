#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// The buffer of a collective that an address refers to.
enum class Area : std::uint8_t {
  input,
  output,
  scratch,
  board,  ///< the offset is a place on the group's board: see on_board()
};

struct Address {
  Area area = Area::scratch;
  std::size_t offset = 0;  ///< bytes
  /// The address so many bytes behind this one, or before it if negative.
  template <class Bytes>
  Address operator+(Bytes bytes) const {
    return {area, offset + static_cast<std::size_t>(bytes)};
  }
  bool operator==(const Address&) const = default;
};

/// A place on a board.
struct BoardPlace {
  int rank = 0;            ///< the rank that writes the row
  std::uint32_t row = 0;   ///< counted from the collective's first row
  std::size_t offset = 0;  ///< bytes from the beginning of the row

  static constexpr int offset_bits = 16;
  static constexpr int row_bits = 24;

  static constexpr BoardPlace of(const Address& address) {
    constexpr std::size_t one = 1;
    return {static_cast<int>(address.offset >> (row_bits + offset_bits)),
            static_cast<std::uint32_t>(address.offset >> offset_bits & ((one << row_bits) - 1)),
            address.offset & ((one << offset_bits) - 1)};
  }
  constexpr Address address() const {
    return {Area::board, static_cast<std::size_t>(rank) << (row_bits + offset_bits) |
                             std::size_t{row} << offset_bits | offset};
  }
};

/// Pieces of a copy or a combination at equal distances.
struct Repetition {
  std::uint32_t times = 1;
  std::uint32_t of = 0;            ///< the repetition that is repeated; 0: a single piece
  std::ptrdiff_t source = 0;       ///< bytes from one source to the next
  std::ptrdiff_t right = 0;        ///< the same of the right operands
  std::ptrdiff_t destination = 0;  ///< the same of the destinations
  auto operator<=>(const Repetition&) const = default;
};

/// One action of a rank in a collective.
struct Step {
  enum class Kind : std::uint8_t {
    send,     ///< source → peer
    receive,  ///< peer → destination
    combine,  ///< destination = source op right, element by element
    copy,     ///< destination = source
    finish,   ///< what PlannedCollective::finish does to the destination, which is also the source
    claim,    ///< waits until all ranks have read what lay in the place of the own row `row`
    publish,  ///< says that the own row is written; the call's length `bytes` goes with it
    await,    ///< waits until the row of `peer` or, with all_peers, of every other rank is written
    acknowledge,  ///< says that this rank needs no more of the rows up to this one
  };
  static constexpr int all_peers = -1;
  Kind kind = Kind::copy;
  std::uint16_t segment = 0;
  int peer = -1;
  std::uint32_t channel = 0;
  std::uint32_t repetition = 0;  ///< copies and combinations: an index of Schedule::repetitions
  std::uint32_t row = 0;         ///< of the group's board, counted from the collective's first row
  std::size_t bytes = 0;         ///< the bytes of one piece
  Address source = {};
  Address right = {};
  Address destination = {};
};

using StepId = std::uint32_t;

/// What a rank sends to another rank, and receives from it, without messages.
struct PeerTraffic {
  int peer = 0;
  std::size_t bytes_sent = 0;
  std::size_t messages_sent = 0;
  std::size_t bytes_received = 0;
  std::size_t messages_received = 0;
};

/// All actions of one rank in a collective: steps and their dependencies. It is compiled from a
/// forest, rounds, or a plan for the board; the engine runs it any number of times.
struct Schedule {
  std::vector<Step> steps;
  std::vector<std::uint32_t> dependencies;     ///< by step, the number of steps that it depends on
  std::vector<std::uint32_t> first_successor;  ///< by step, where its successors begin in
                                               ///< `successors`; one entry more than steps
  std::vector<StepId> successors;
  std::vector<Repetition> repetitions;  ///< number 0 is a single piece
  std::size_t scratch_bytes = 0;
  std::uint32_t board_rows =
      0;  ///< the rows that it takes on the group's board, equal on all ranks
  std::vector<PeerTraffic> board_traffic = {};
  int sends_at_a_time =
      0;  ///< the most sends to one rank at a time, earlier steps first; 0: no limit

  /// True if some step reads or writes this area.
  bool uses(Area area) const;

  /// Calls act(piece) for each piece of a step in turn; a piece is a step without repetition.
  template <class Act>
  void for_each_piece(const Step& step, const Act& act) const {
    Step piece = step;
    piece.repetition = 0;
    step.repetition == 0 ? act(piece) : repeat(step.repetition, piece, act);
  }

 private:
  template <class Act>
  void repeat(std::uint32_t number, Step piece, const Act& act) const {
    const Repetition& repetition = repetitions[number];
    for (std::uint32_t time = 0; time < repetition.times; ++time) {
      repetition.of == 0 ? act(piece) : repeat(repetition.of, piece, act);
      piece.source = piece.source + repetition.source;
      piece.right = piece.right + repetition.right;
      piece.destination = piece.destination + repetition.destination;
    }
  }
};

/// The schedule with one more step, which starts when all others are complete.
Schedule followed_by(const Schedule& schedule, const Step& last);

/// The alignment in bytes of scratch memory and of its pieces, enough for any element.
inline constexpr std::size_t scratch_alignment = 64;

/// Builds a schedule step by step.
class ScheduleBuilder {
 public:
  static constexpr StepId none = std::numeric_limits<StepId>::max();

  /// Makes room for so many steps with one dependency each.
  void reserve(std::size_t steps);
  /// Makes room for `times` the present number of steps, each with one dependency more.
  void reserve_times(std::size_t times);
  /// Adds a step that starts when all of `after`, except `none`, are complete.
  StepId add(Step step, std::initializer_list<StepId> after);
  /// Makes `step` start only when `after` is complete.
  void depend(StepId step, StepId after);
  /// A piece of scratch memory, aligned for any element.
  Address scratch(std::size_t bytes);
  /// Says how many rows of the group's board the schedule takes, and what goes through them.
  void take_rows(std::uint32_t rows, std::vector<PeerTraffic> traffic = {}) {
    schedule_.board_rows = rows;
    schedule_.board_traffic = std::move(traffic);
  }
  /// The number of a repetition; equal repetitions have the same number.
  std::uint32_t number_of(const Repetition& repetition);

  Schedule finish() &&;

 private:
  struct Dependency {
    StepId before;
    StepId after;
  };
  Schedule schedule_;
  std::vector<Dependency> dependencies_;
  std::map<Repetition, std::uint32_t> numbers_;
};

}  // namespace cuboid::detail
