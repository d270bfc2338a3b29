#include <cuboid/error.hpp>

#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/compile.hpp"
#include "collectives/types/board_layout.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

[[noreturn]] void refuse_plan(int rank, const std::string& what) {
  throw Error(ErrorCode::internal, fmt::format("plan for a board: rank {}: {}", rank, what));
}

/// Says which steps of a schedule come before which others in every order in which they may run.
class Order {
 public:
  explicit Order(const Schedule& schedule)
      : words_(schedule.steps.size() / 64 + 1), before_(words_ * schedule.steps.size()) {
    // A step has a higher number than the steps that it depends on.
    for (StepId step = 0; step < schedule.steps.size(); ++step) {
      for (auto i = schedule.first_successor[step]; i < schedule.first_successor[step + 1]; ++i) {
        const StepId later = schedule.successors[i];
        for (std::size_t word = 0; word < words_; ++word)
          before_[later * words_ + word] |= before_[step * words_ + word];
        before_[later * words_ + step / 64] |= std::uint64_t{1} << (step % 64);
      }
    }
  }
  bool is_before(StepId step, StepId later) const {
    return (before_[later * words_ + step / 64] >> (step % 64) & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> before_;
};

/// A range of bytes of the message with the contributions of some ranks.
struct Content {
  std::size_t bytes = 0;
  std::size_t message_offset = 0;
  int first = 0;
  int last = 0;
  StepId writer = 0;
};

/// The schedules of all ranks, followed step by step.
class BoardRun {
 public:
  explicit BoardRun(std::vector<Schedule> schedules) : schedules_(std::move(schedules)) {
    for (const Schedule& schedule : schedules_) {
      orders_.emplace_back(schedule);
      Rank& rank = ranks_.emplace_back();
      rank.left = schedule.dependencies;
      rank.done.resize(schedule.steps.size());
      rank.heard.resize(schedule.steps.size());
    }
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < size(); ++rank) moved |= advance(rank);
    }
    for (int rank = 0; rank < size(); ++rank) {
      if (std::ranges::find(of(rank).done, false) != of(rank).done.end())
        refuse_plan(rank, "it waits for ever");
      check_end(rank);
    }
  }

  /// True if the output of a rank is this block with the contributions of these ranks.
  void require_output(int rank, const Block& block, int first, int last) const {
    std::size_t at = block.slice.offset;
    const auto& output = of(rank).output;
    for (auto piece = output.find(at); at < block.slice.end(); piece = output.find(at)) {
      if (piece == output.end())
        refuse_plan(rank, fmt::format("byte {} of the message does not arrive", at));
      const Content& content = piece->second;
      if (content.message_offset != at || content.first != first || content.last != last)
        refuse_plan(rank, fmt::format("byte {} of the message is not what it should be", at));
      at += content.bytes;
    }
  }

  void require_all_heard(int rank) const {
    for (int other = 0; other < size(); ++other) {
      if (other != rank && (of(rank).heard_at_end.empty() ||
                            !of(rank).heard_at_end[static_cast<std::size_t>(other)]))
        refuse_plan(rank, fmt::format("it does not hear of rank {}", other));
    }
  }

 private:
  using Heard = std::vector<bool>;
  struct Read {
    std::uint32_t row;
    StepId step;
  };
  struct Rank {
    std::vector<std::uint32_t> left;
    std::vector<bool> done;
    std::vector<Heard> heard;  // by step, the ranks that are known to have arrived
    std::map<std::size_t, Content> output;
    std::map<std::pair<std::uint32_t, std::size_t>, Content> rows;
    std::map<std::uint32_t, StepId> claimed;
    std::map<std::uint32_t, StepId> published;
    std::map<std::pair<std::uint32_t, int>, StepId> awaited;
    std::vector<Read> reads;
    std::vector<Read> acknowledged;
    Heard heard_at_end;
  };

  int size() const { return static_cast<int>(schedules_.size()); }
  Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  const Schedule& schedule(int rank) const { return schedules_[static_cast<std::size_t>(rank)]; }
  bool is_before(int rank, StepId step, StepId later) const {
    return orders_[static_cast<std::size_t>(rank)].is_before(step, later);
  }

  bool advance(int rank) {
    bool moved = false;
    for (StepId step = 0; step < schedule(rank).steps.size(); ++step) {
      if (of(rank).done[step] || of(rank).left[step] > 0) continue;
      if (!can_run(rank, schedule(rank).steps[step])) continue;
      run(rank, step);
      moved = true;
    }
    return moved;
  }

  bool has_read(int rank, std::uint32_t row) const {
    const auto& acknowledged = of(rank).acknowledged;
    return !acknowledged.empty() && acknowledged.back().row >= row;
  }

  bool can_run(int rank, const Step& step) const {
    for (int other = 0; other < size(); ++other) {
      switch (step.kind) {
        case Step::Kind::await:
          if (other == rank || (step.peer != Step::all_peers && step.peer != other)) break;
          if (!of(other).published.contains(step.row)) return false;
          break;
        case Step::Kind::claim:
          if (step.row >= BoardLayout::rows &&
              !has_read(other, step.row - static_cast<std::uint32_t>(BoardLayout::rows)))
            return false;
          break;
        default: return true;
      }
    }
    return true;
  }

  void run(int rank, StepId id) {
    Rank& mine = of(rank);
    const Step& step = schedule(rank).steps[id];
    hear(rank, id);
    switch (step.kind) {
      case Step::Kind::claim: mine.claimed[step.row] = id; break;
      case Step::Kind::publish: publish(rank, id); break;
      case Step::Kind::await: mine.awaited[{step.row, step.peer}] = id; break;
      case Step::Kind::acknowledge: acknowledge(rank, id); break;
      case Step::Kind::copy:
      case Step::Kind::combine:
        schedule(rank).for_each_piece(step, [&](const Step& piece) { move(rank, id, piece); });
        break;
      default: refuse_plan(rank, "a step has nothing to do with the board");
    }
    mine.done[id] = true;
    for (auto i = schedule(rank).first_successor[id]; i < schedule(rank).first_successor[id + 1];
         ++i)
      --mine.left[schedule(rank).successors[i]];
  }

  void hear(int rank, StepId id) {
    Rank& mine = of(rank);
    Heard& heard = mine.heard[id];
    heard.assign(schedules_.size(), false);
    heard[static_cast<std::size_t>(rank)] = true;
    const auto add = [&heard](const Heard& more) {
      std::transform(heard.begin(), heard.end(), more.begin(), heard.begin(), std::logical_or<>());
    };
    for (StepId step = 0; step < id; ++step) {
      if (mine.done[step] && is_before(rank, step, id)) add(mine.heard[step]);
    }
    const Step& step = schedule(rank).steps[id];
    if (step.kind == Step::Kind::await) {
      for (int other = 0; other < size(); ++other) {
        if (other == rank || (step.peer != Step::all_peers && step.peer != other)) continue;
        add(of(other).heard[of(other).published.at(step.row)]);
      }
    }
    mine.heard_at_end = heard;
  }

  void publish(int rank, StepId id) {
    Rank& mine = of(rank);
    const std::uint32_t row = schedule(rank).steps[id].row;
    if (!mine.published.emplace(row, id).second)
      refuse_plan(rank, fmt::format("it publishes row {} twice", row));
    for (auto piece = mine.rows.lower_bound({row, 0});
         piece != mine.rows.end() && piece->first.first == row; ++piece) {
      if (!is_before(rank, piece->second.writer, id))
        refuse_plan(rank, fmt::format("row {} is published before it is written", row));
    }
  }

  void acknowledge(int rank, StepId id) {
    Rank& mine = of(rank);
    const std::uint32_t row = schedule(rank).steps[id].row;
    if (!mine.acknowledged.empty() && (mine.acknowledged.back().row >= row ||
                                       !is_before(rank, mine.acknowledged.back().step, id)))
      refuse_plan(rank, fmt::format("row {} is acknowledged out of turn", row));
    mine.acknowledged.push_back({row, id});
  }

  // Follows the pieces of a step in turn.
  void require_written(int rank, StepId writer, StepId reader) const {
    if (writer != reader && !is_before(rank, writer, reader))
      refuse_plan(rank, "it reads what may be missing");
  }

  Content read(int rank, StepId id, const Address& address, std::size_t bytes) {
    Rank& mine = of(rank);
    // What one step has written may be read by several steps.
    const auto part = [&](Content whole, std::size_t from) {
      if (from + bytes > whole.bytes) refuse_plan(rank, "it reads what nobody has written");
      whole.message_offset += from;
      whole.bytes = bytes;
      return whole;
    };
    const auto found = [&](const auto& contents, const auto& key, const auto& distance) {
      auto content = contents.upper_bound(key);
      if (content == contents.begin()) refuse_plan(rank, "it reads what nobody has written");
      --content;
      return part(content->second, distance(content->first));
    };
    switch (address.area) {
      case Area::input: return {bytes, address.offset, rank, rank, id};
      case Area::output: {
        const Content content = found(mine.output, address.offset,
                                      [&](std::size_t begin) { return address.offset - begin; });
        require_written(rank, content.writer, id);
        return content;
      }
      case Area::board: break;
      case Area::scratch: refuse_plan(rank, "it needs scratch memory");
    }
    const BoardPlace place = BoardPlace::of(address);
    const Content content =
        found(of(place.rank).rows, std::pair(place.row, place.offset), [&](const auto& begin) {
          return begin.first == place.row ? place.offset - begin.second : BoardLayout::bytes_of_row;
        });
    mine.reads.push_back({place.row, id});
    if (place.rank == rank) {
      require_written(rank, content.writer, id);
      return content;
    }
    const auto waited_for = [&](int peer) {
      const auto await = mine.awaited.find({place.row, peer});
      return await != mine.awaited.end() && is_before(rank, await->second, id);
    };
    if (!waited_for(place.rank) && !waited_for(Step::all_peers))
      refuse_plan(rank, fmt::format("it reads row {} of rank {} without waiting for it", place.row,
                                    place.rank));
    return content;
  }

  void move(int rank, StepId id, const Step& piece) {
    Content content = read(rank, id, piece.source, piece.bytes);
    if (piece.kind == Step::Kind::combine) {
      const Content right = read(rank, id, piece.right, piece.bytes);
      if (content.message_offset != right.message_offset || content.last + 1 != right.first)
        refuse_plan(rank, "it combines what does not follow each other");
      content.last = right.last;
    }
    content.writer = id;
    if (piece.destination.area == Area::output) {
      of(rank).output[piece.destination.offset] = content;
      return;
    }
    const BoardPlace place = BoardPlace::of(piece.destination);
    const auto claim = of(rank).claimed.find(place.row);
    if (piece.destination.area != Area::board || place.rank != rank)
      refuse_plan(rank, "it writes where it must not");
    if (claim == of(rank).claimed.end() || !is_before(rank, claim->second, id))
      refuse_plan(rank, fmt::format("it writes row {} without having claimed it", place.row));
    if (place.offset + piece.bytes > BoardLayout::bytes_of_row ||
        place.offset < BoardLayout::short_data)
      refuse_plan(rank, fmt::format("it writes beyond row {}", place.row));
    of(rank).rows[{place.row, place.offset}] = content;
  }

  // Proves that all rows are acknowledged, each after everything that was read of it.
  void check_end(int rank) const {
    const Rank& mine = of(rank);
    const std::uint32_t rows = schedule(rank).board_rows;
    if (rows != schedule(0).board_rows) refuse_plan(rank, "it takes other rows than rank 0");
    if (rows > 0 && (mine.acknowledged.empty() || mine.acknowledged.back().row + 1 != rows))
      refuse_plan(rank, "it does not acknowledge all rows");
    const auto require_before_its_acknowledgement = [&](std::uint32_t row, StepId step) {
      const auto first = std::ranges::lower_bound(mine.acknowledged, row, {}, &Read::row);
      if (first == mine.acknowledged.end() || !is_before(rank, step, first->step))
        refuse_plan(rank, fmt::format("row {} is acknowledged before it is read", row));
    };
    for (const Read& read : mine.reads) require_before_its_acknowledgement(read.row, read.step);
    for (const auto& [row, step] : mine.published) require_before_its_acknowledgement(row, step);
  }

  std::vector<Schedule> schedules_;
  std::vector<Order> orders_;
  std::vector<Rank> ranks_;
};

/// The conditions of the first segments of all blocks; the other segments are like them.
Conditions first_segments(const Conditions& conditions, std::size_t segment_bytes) {
  constexpr std::size_t enough = 3 * BoardLayout::rows;
  Conditions first{conditions.ranks, {}};
  for (Block block : conditions.blocks) {
    block.slice.bytes = std::min(block.slice.bytes, enough * segment_bytes);
    first.blocks.push_back(block);
  }
  return first;
}

/// The placing of buffers that hold the whole message.
Placing placing_of(const Conditions& conditions, int rank) {
  Placing placing;
  for (const Block& block : conditions.blocks) {
    const auto there = [&](const std::optional<int>& who, Area area) {
      return !who || *who == rank ? std::optional(Address{area, block.slice.offset}) : std::nullopt;
    };
    placing.before.push_back(there(block.before, Area::input));
    placing.after.push_back(there(block.after, Area::output));
  }
  return placing;
}

}  // namespace

std::vector<Schedule> compile_for_all(const BoardPlan& plan, const Conditions& conditions,
                                      const Pipelining& pipelining) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    schedules.push_back(compile(plan, conditions, placing_of(conditions, rank), rank, pipelining));
  }
  return schedules;
}

void check(const BoardPlan& plan, const Conditions& conditions, const Pipelining& pipelining) {
  const Conditions first = first_segments(conditions, pipelining.segment_bytes);
  check_on_board(compile_for_all(plan, first, pipelining), first);
}

void check_on_board(std::vector<Schedule> schedules, const Conditions& conditions) {
  BoardRun board(std::move(schedules));
  board.run();
  for (int rank = 0; rank < conditions.ranks; ++rank) {
    if (conditions.blocks.empty()) board.require_all_heard(rank);
    for (const Block& block : conditions.blocks) {
      if (block.after && *block.after != rank) continue;
      board.require_output(rank, block, block.before.value_or(0),
                           block.before.value_or(conditions.ranks - 1));
    }
  }
}

}  // namespace cuboid::detail
