#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/even_pieces.hpp"
#include "collectives/types/board_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace cuboid::detail {

namespace {

constexpr std::size_t cache_line = 64;

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

/// The places of a row's lanes. Short lanes lie close together, in few cache lines.
class Lanes {
 public:
  Lanes(int lanes, std::size_t bytes) {
    constexpr std::size_t alignment = 16, hardly_a_line = 32;
    distance_ = rounded_up(bytes, bytes <= hardly_a_line ? alignment : cache_line);
    const std::size_t all = lanes == 1 ? bytes : static_cast<std::size_t>(lanes) * distance_;
    first_ = all <= BoardLayout::longest_short ? BoardLayout::short_data : BoardLayout::long_data;
  }
  std::size_t offset(int lane) const { return first_ + static_cast<std::size_t>(lane) * distance_; }

 private:
  std::size_t distance_;
  std::size_t first_;
};

class BoardCompiler {
 public:
  BoardCompiler(const BoardPlan& plan, const Conditions& conditions, const Placing& placing,
                int rank, std::size_t segment_bytes)
      : plan_(plan),
        conditions_(conditions),
        placing_(placing),
        rank_(rank),
        segment_(std::min(segment_bytes, longest_block(conditions))),
        lanes_(plan.lane_per_rank || plan.by_parts ? plan.ranks : 1, segment_),
        parts_(1, segment_),
        with_(static_cast<std::size_t>(plan.ranks)) {
    for (const Block& block : conditions_.blocks)
      call_bytes_ = std::max(call_bytes_, block.slice.end());
  }

  Schedule compile() && {
    if (conditions_.blocks.empty()) {
      barrier();
    } else if (segment_ > 0) {
      const std::size_t segments = (longest_block(conditions_) + segment_ - 1) / segment_;
      for (std::size_t segment = 0; segment < segments; ++segment) {
        plan_.by_parts ? add_by_parts(segment) : add(segment);
      }
      builder_.take_rows(static_cast<std::uint32_t>(segments) * (plan_.by_parts ? 2 : 1),
                         traffic());
      copy_own_blocks();
    }
    return std::move(builder_).finish();
  }

 private:
  static constexpr StepId none = ScheduleBuilder::none;

  Block block(std::size_t number) const { return conditions_.blocks[number]; }
  std::size_t blocks() const { return conditions_.blocks.size(); }
  bool is_combined(const Block& block) const { return !block.before; }
  bool needed_here(const Block& block) const { return !block.after || *block.after == rank_; }

  // The bytes of a segment of a block.
  std::size_t bytes(const Block& block, std::size_t segment) const {
    const std::size_t begin = segment * segment_;
    return begin >= block.slice.bytes ? 0 : std::min(segment_, block.slice.bytes - begin);
  }

  // True if a rank that alone needs a result reads its own contribution where it lies. Not if the
  // result would replace the contribution before its turn.
  bool is_taken_from_buffer(std::size_t number) const {
    if (plan_.by_parts) return owner(number) == rank_;
    const bool replaced = placing_.before[number] == placing_.after[number];
    return block(number).after == rank_ && !(replaced && rank_ > 0);
  }

  // With BoardPlan::by_parts, the rank that combines a block.
  int owner(std::size_t number) const { return static_cast<int>(number); }

  bool is_written_here(std::size_t number) const {
    const Block& one = block(number);
    if (is_combined(one)) return !is_taken_from_buffer(number);
    return one.before == rank_ && one.after != rank_;
  }

  int lane(std::size_t number) const {
    if (plan_.by_parts) return owner(number);
    return plan_.lane_per_rank ? *block(number).after : 0;
  }

  Address in_row(int rank, std::uint32_t row, std::size_t offset) const {
    return BoardPlace{rank, row, offset}.address();
  }
  Address in_lane(int rank, std::uint32_t row, std::size_t number) const {
    return in_row(rank, row, lanes_.offset(lane(number)));
  }

  StepId add_flag(Step::Kind kind, std::uint32_t row, std::initializer_list<StepId> after,
                  int peer = Step::all_peers) {
    return builder_.add({.kind = kind, .peer = peer, .row = row, .bytes = call_bytes_}, after);
  }

  void note_sent(std::optional<int> reader, std::size_t bytes) {
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      if (rank == rank_ || (reader && *reader != rank)) continue;
      with_[static_cast<std::size_t>(rank)].bytes_sent += bytes;
      ++with_[static_cast<std::size_t>(rank)].messages_sent;
    }
  }
  void note_received(int writer, std::size_t bytes) {
    if (writer == rank_) return;
    with_[static_cast<std::size_t>(writer)].bytes_received += bytes;
    ++with_[static_cast<std::size_t>(writer)].messages_received;
  }
  void note_contributions(std::size_t bytes) {
    for (int rank = 0; rank < plan_.ranks; ++rank) note_received(rank, bytes);
  }

  std::vector<PeerTraffic> traffic() {
    std::vector<PeerTraffic> some;
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      PeerTraffic& traffic = with_[static_cast<std::size_t>(rank)];
      traffic.peer = rank;
      if (traffic.messages_sent + traffic.messages_received > 0) some.push_back(traffic);
    }
    return some;
  }

  // Adds steps one after another. Returns the last of them, or `after` if there are none.
  StepId add_all(const std::vector<Step>& pieces, StepId after) {
    constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();
    EvenSteps together(any_bytes, builder_);
    for (std::size_t number = 0; number < pieces.size(); ++number)
      together.add(pieces[number], number, number + 1);
    for (const EvenStep& even : std::move(together).take())
      after = builder_.add(even.step, {after});
    return after;
  }

  // Calls act(block) for all blocks, beginning behind the own one: not all ranks read from the same
  // rank at once.
  template <class Act>
  void for_each_from_next_rank_on(const Act& act) const {
    const auto first = static_cast<std::size_t>(rank_ + 1);
    for (std::size_t i = 0; i < blocks(); ++i) act((first + i) % blocks());
  }

  /// Writes what this rank has of a segment, and publishes the row.
  void write(std::size_t segment, std::uint32_t row) {
    std::vector<Step> pieces;
    for (std::size_t number = 0; number < blocks(); ++number) {
      const std::size_t length = bytes(block(number), segment);
      if (length == 0 || !is_written_here(number)) continue;
      note_sent(plan_.by_parts ? owner(number) : block(number).after, length);
      pieces.push_back({.bytes = length,
                        .source = *placing_.before[number] + segment * segment_,
                        .destination = in_lane(rank_, row, number)});
    }
    if (!writes()) return;
    const StepId claimed = add_flag(Step::Kind::claim, row, {written_});
    written_ = add_flag(Step::Kind::publish, row, {add_all(pieces, claimed)});
  }

  bool writes() const {
    for (std::size_t number = 0; number < blocks(); ++number) {
      if (is_written_here(number)) return true;
    }
    return false;
  }

  // Combines all contributions to a block's segment, in rank order.
  std::vector<Step> combinations(std::size_t number, std::size_t segment, std::uint32_t row,
                                 Address result) const {
    std::vector<Step> pieces;
    const std::size_t length = bytes(block(number), segment);
    if (length == 0) return pieces;
    const auto contribution = [&](int rank) {
      return rank == rank_ && is_taken_from_buffer(number)
                 ? *placing_.before[number] + segment * segment_
                 : in_lane(rank, row, number);
    };
    for (int rank = 1; rank < plan_.ranks; ++rank) {
      pieces.push_back({.kind = Step::Kind::combine,
                        .bytes = length,
                        .source = rank == 1 ? contribution(0) : result,
                        .right = contribution(rank),
                        .destination = result});
    }
    return pieces;
  }

  /// The rank whose row this rank reads: one rank, Step::all_peers, or none.
  std::optional<int> read_from() const {
    std::optional<int> from;
    for (const Block& one : conditions_.blocks) {
      if (!needed_here(one) || one.before == rank_) continue;
      if (is_combined(one) || (from && from != *one.before)) return Step::all_peers;
      from = *one.before;
    }
    return from;
  }

  void add(std::size_t segment) {
    const auto row = static_cast<std::uint32_t>(segment);
    write(segment, row);
    if (const auto from = read_from()) {
      const StepId found = add_flag(Step::Kind::await, row, {written_, read_}, *from);
      std::vector<Step> pieces;
      for_each_from_next_rank_on([&](std::size_t number) {
        const Block& one = block(number);
        const std::size_t length = bytes(one, segment);
        if (length == 0 || !needed_here(one) || one.before == rank_) return;
        const Address result = *placing_.after[number] + segment * segment_;
        if (is_combined(one)) {
          pieces = combinations(number, segment, row, result);
          note_contributions(length);
        } else {
          note_received(*one.before, length);
          pieces.push_back({.bytes = length,
                            .source = in_row(*one.before, row, lanes_.offset(lane(number))),
                            .destination = result});
        }
      });
      read_ = add_flag(Step::Kind::acknowledge, row, {add_all(pieces, found)});
    } else {
      read_ = add_flag(Step::Kind::acknowledge, row, {written_, read_});
    }
  }

  void add_by_parts(std::size_t segment) {
    const auto row = static_cast<std::uint32_t>(2 * segment);
    write(segment, row);
    const auto own = static_cast<std::size_t>(rank_);
    if (const std::size_t length = bytes(block(own), segment); length > 0) {
      note_contributions(length);
      note_sent(block(own).after, length);
    }
    const StepId found = add_flag(Step::Kind::await, row, {written_, combined_});
    const StepId claimed = add_flag(Step::Kind::claim, row + 1, {found});
    combined_ =
        add_flag(Step::Kind::publish, row + 1,
                 {add_all(combinations(own, segment, row, in_row(rank_, row + 1, parts_.offset(0))),
                          claimed)});
    if (!needed_here(block(0))) {
      read_ = add_flag(Step::Kind::acknowledge, row + 1, {combined_, read_});
      return;
    }
    std::vector<Step> pieces;
    for_each_from_next_rank_on([&](std::size_t number) {
      const std::size_t length = bytes(block(number), segment);
      if (length == 0) return;
      note_received(owner(number), length);
      pieces.push_back({.bytes = length,
                        .source = in_row(owner(number), row + 1, parts_.offset(0)),
                        .destination = *placing_.after[number] + segment * segment_});
    });
    const StepId all = add_flag(Step::Kind::await, row + 1, {combined_, read_});
    read_ = add_flag(Step::Kind::acknowledge, row + 1, {add_all(pieces, all)});
  }

  // Copies what this rank both has and needs; it comes last, as no other rank waits for it.
  void copy_own_blocks() {
    for (std::size_t number = 0; number < blocks(); ++number) {
      const Block& one = block(number);
      if (one.before != rank_ || !needed_here(one) || one.slice.bytes == 0) continue;
      if (placing_.before[number] == placing_.after[number]) continue;
      builder_.add({.bytes = one.slice.bytes,
                    .source = *placing_.before[number],
                    .destination = *placing_.after[number]},
                   {});
    }
  }

  // By row j each rank tells the rank 2^j above it about all arrivals that it knows of. Rows
  // without data can be written again at any time.
  void barrier() {
    std::uint32_t row = 0;
    for (int distance = 1; distance < plan_.ranks; distance *= 2, ++row) {
      const StepId told = add_flag(Step::Kind::publish, row, {read_});
      read_ =
          add_flag(Step::Kind::await, row, {told}, (rank_ + plan_.ranks - distance) % plan_.ranks);
    }
    if (row > 0) add_flag(Step::Kind::acknowledge, row - 1, {read_});
    builder_.take_rows(row);
  }

  const BoardPlan& plan_;
  const Conditions& conditions_;
  const Placing& placing_;
  int rank_;
  std::size_t segment_;
  Lanes lanes_;
  Lanes parts_;                    // the lanes of rows with combined results
  std::vector<PeerTraffic> with_;  // by rank, what goes between it and this rank
  std::size_t call_bytes_ = 0;
  ScheduleBuilder builder_;
  StepId written_ = none;
  StepId combined_ = none;
  StepId read_ = none;
};

}  // namespace

std::size_t longest_segment(const BoardPlan& plan) {
  if (!plan.lane_per_rank && !plan.by_parts) return BoardLayout::longest;
  return BoardLayout::longest / static_cast<std::size_t>(plan.ranks) / cache_line * cache_line;
}

Schedule compile(const BoardPlan& plan, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining) {
  return BoardCompiler(plan, conditions, placing, rank, pipelining.segment_bytes).compile();
}

}  // namespace cuboid::detail
