#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/even_pieces.hpp"
#include "collectives/schedules/round_steps.hpp"
#include "collectives/schedules/slices.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

// Steps that follow one another.
struct StepRange {
  StepId first = ScheduleBuilder::none;
  StepId last = ScheduleBuilder::none;

  bool empty() const { return first == ScheduleBuilder::none; }
};

// Where the blocks of a unit lie on this rank, and the steps that touch them, while rounds are
// compiled.
struct Held {
  bool at_home = true;      // false: where the rank has them at first
  bool read_again = false;  // true: further readers are listed elsewhere
  StepRange written = {};
  StepRange read = {};  // since they were written
};

// Numbers the units of blocks, consecutive blocks that this rank always sends and receives
// together: the runs of a line or a plane, however many blocks it has.
class Units {
 public:
  explicit Units(std::size_t blocks)
      : blocks_(blocks), begins_(blocks / bits + 1), before_(begins_.size()) {
    begin_at(0);
  }

  // A unit begins at this block.
  void begin_at(std::size_t block) {
    if (block < blocks_) begins_[block / bits] |= std::uint64_t{1} << block % bits;
  }

  // Numbers the units that have been begun. Returns their number.
  std::size_t number() {
    std::uint32_t units = 0;
    for (std::size_t word = 0; word < begins_.size(); ++word) {
      before_[word] = units;
      units += static_cast<std::uint32_t>(std::popcount(begins_[word]));
    }
    all_single_ = units == blocks_;
    return units;
  }

  std::size_t of(std::size_t block) const {
    if (all_single_) return block;
    const std::uint64_t up_to_it = begins_[block / bits] << (bits - 1 - block % bits);
    return before_[block / bits] + static_cast<std::size_t>(std::popcount(up_to_it)) - 1;
  }

  // Where the unit of a block ends, but not beyond `end`.
  std::size_t end_of(std::size_t block, std::size_t end) const {
    std::size_t word = (block + 1) / bits;
    if (block + 1 >= end) return end;
    std::uint64_t further = begins_[word] >> (block + 1) % bits << (block + 1) % bits;
    while (further == 0 && ++word < begins_.size()) further = begins_[word];
    if (further == 0) return end;
    return std::min(end, word * bits + static_cast<std::size_t>(std::countr_zero(further)));
  }

 private:
  static constexpr std::size_t bits = 64;
  std::size_t blocks_;
  bool all_single_ = false;            // true: every block is a unit
  std::vector<std::uint64_t> begins_;  // a bit for each block
  std::vector<std::uint32_t> before_;  // by word, the units that begin before it
};

// Calls act(progression) for the blocks of a set whose positions in it are from `first` to before
// `end`, in turn. Positions must not go back from call to call.
class BlockSetReader {
 public:
  explicit BlockSetReader(const BlockSet& blocks) : progressions_(blocks.progressions()) {}

  template <class Act>
  void read(std::size_t first, std::size_t end, const Act& act) {
    for (; first < end; first = std::min(end, position_ + count())) {
      for (; position_ + count() <= first; ++next_) position_ += count();
      const BlockSet::Progression& all = progressions_[next_];
      const auto skipped = static_cast<int>(first - position_);
      const auto left = static_cast<int>(std::min(end, position_ + count()) - first);
      act(BlockSet::Progression{all.at(skipped), left, all.stride});
    }
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(progressions_[next_].count); }

  std::span<const BlockSet::Progression> progressions_;
  std::size_t next_ = 0;
  std::size_t position_ = 0;  // of that progression's first block
};

// Blocks that lie together in `times` places, `apart` bytes from one to the next.
struct Lying {
  std::size_t first = 0;   // block
  std::size_t count = 0;   // of the blocks in all places
  std::size_t offset = 0;  // in the message
  std::size_t bytes = 0;   // in each place
  Address at = {};
  std::size_t times = 1;
  std::size_t apart = 0;

  bool is_at(Address place) const { return at == place && (times == 1 || apart == bytes); }
};

class RoundsCompiler {
 public:
  RoundsCompiler(const Rounds& rounds, const Pieces& pieces, const BlockPlaces& places, int rank,
                 std::size_t longest_run)
      : rounds_(rounds),
        pieces_(pieces),
        places_(places),
        rank_(rank),
        longest_run_(longest_run),
        equal_bytes_(pieces.equal_bytes()),
        units_(pieces.size()) {
    find_units();
    place_blocks();
  }

  Schedule compile() && {
    for (std::size_t number = 0; number < rounds_.rounds.size(); ++number) add_round(number);
    deliver();
    return std::move(builder_).finish();
  }

 private:
  void find_units() {
    for (const auto& round : rounds_.rounds) {
      for (const Exchange& exchange : round) {
        if (exchange.sender == rank_ || exchange.receiver == rank_) begin_units(exchange.blocks);
      }
    }
    held_.resize(units_.number());
  }

  void begin_units(const BlockSet& blocks) {
    if (!rounds_.packed) {
      for (const BlockRun& run : runs(blocks)) {
        units_.begin_at(run.first_block);
        units_.begin_at(run.end_block);
      }
      return;
    }
    for (const BlockSet::Progression& progression : blocks.progressions()) {
      const std::size_t apart = static_cast<std::size_t>(progression.stride);
      const std::size_t each = apart == 1 ? static_cast<std::size_t>(progression.count) : 1;
      const auto end = static_cast<std::size_t>(progression.last()) + 1;
      for (auto block = static_cast<std::size_t>(progression.first); block < end;
           block += apart * each) {
        units_.begin_at(block);
        units_.begin_at(block + each);
      }
    }
  }

  std::vector<BlockRun> runs(const BlockSet& blocks) const {
    return runs_of(blocks, pieces_, longest_run_);
  }

  // Decides where blocks lie between rounds (their homes). If they lie in the caller's output as
  // they do in the message, runs of blocks are sent and received there. Otherwise their homes are
  // in scratch memory, and they are copied to the output at the end.
  void place_blocks() {
    const std::size_t blocks = pieces_.size();
    std::size_t as_in_message = 0;
    visit_after(0, blocks, [&](const Lying& lying) {
      if (!lying.is_at({Area::output, lying.offset})) return false;
      as_in_message += lying.count;
      return true;
    });
    message_ = {Area::output, 0};
    if (as_in_message < blocks) message_ = builder_.scratch(pieces_.bytes());
    visit_before(0, blocks, [&](const Lying& lying) {
      if (lying.is_at(message_ + lying.offset)) return true;
      for_each_unit(BlockRun{lying.first, lying.first + lying.count, 0},
                    [](Held& held) { held.at_home = false; });
      return true;
    });
    // Blocks to be packed lie in the order of their numbers, so that few copies pack them.
    if (rounds_.packed && !lies_as_numbered()) copy_home(0, blocks);
  }

  // True if the blocks that the rank has at first lie in its input as in the message.
  bool lies_as_numbered() const {
    return visit_before(0, pieces_.size(), [](const Lying& lying) {
      return lying.is_at({lying.at.area, lying.offset});
    });
  }

  std::size_t offset(std::size_t block) const {
    return equal_bytes_ ? block * *equal_bytes_ : pieces_.offset(block);
  }
  std::size_t bytes_of(std::size_t first, std::size_t end) const {
    return offset(end) - offset(first);
  }
  Address home(std::size_t block) const { return message_ + offset(block); }
  Held& held(std::size_t block) { return held_[units_.of(block)]; }
  const Held& held(std::size_t block) const { return held_[units_.of(block)]; }

  // Calls act(lying) for the blocks from `first` to before `end` that the rank has at first, where
  // it has them, until act returns false. Returns false if it did.
  template <class Act>
  bool visit_before(std::size_t first, std::size_t end, const Act& act) const {
    return visit(first, end, act, &BlockPlaces::before, &BlockPlaces::even_before);
  }
  // The same of the blocks that must end here, where they must.
  template <class Act>
  bool visit_after(std::size_t first, std::size_t end, const Act& act) const {
    return visit(first, end, act, &BlockPlaces::after, &BlockPlaces::even_after);
  }

  template <class Act>
  bool visit(std::size_t first, std::size_t end, const Act& act,
             std::optional<Address> (BlockPlaces::*place)(std::size_t) const,
             bool (BlockPlaces::*even)(const BlockPlaces::BlockRow&) const) const {
    return pieces_.visit(first, end, [&](const Pieces::Stretch& row) {
      const auto& [number, count, offset, block, slice, times, stride] = row;
      const bool together = times == 1 || (places_.*even)({block, times, stride});
      const std::size_t places = together ? 1 : times;
      for (std::size_t i = 0; i < places; ++i) {
        const std::optional<Address> whole = (places_.*place)(block + i * stride);
        if (!whole) continue;
        Lying lying{number + i * (count / times), count / places, offset + i * slice.bytes,
                    slice.bytes, *whole + slice.offset};
        if (times > places) {
          lying.times = times;
          lying.apart = (places_.*place)(block + stride)->offset - whole->offset;
        }
        if (!act(lying)) return false;
      }
      return true;
    });
  }

  // Calls act(lying) for consecutive blocks, where they are now.
  template <class Act>
  void visit_held(std::size_t first, std::size_t end, const Act& act) const {
    while (first < end) {
      const bool at_home = held(first).at_home;
      std::size_t next = units_.end_of(first, end);
      while (next < end && held(next).at_home == at_home) next = units_.end_of(next, end);
      if (at_home) {
        act(lying_at_home(first, next - first));
      } else {
        visit_before(first, next, [&](const Lying& lying) {
          act(lying);
          return true;
        });
      }
      first = next;
    }
  }

  Lying lying_at_home(std::size_t first, std::size_t count) const {
    return {first, count, offset(first), bytes_of(first, first + count), home(first)};
  }

  // The same for the blocks of a set.
  template <class Act>
  void visit_held(const BlockSet& blocks, const Act& act) const {
    for (const BlockSet::Progression& progression : blocks.progressions()) {
      const bool all_home = equal_bytes_ && all_at_home(progression);
      for_each_part(progression, all_home, [&](const Lying& lying) {
        if (all_home) return act(lying);
        visit_held(lying.first, lying.first + lying.count, act);
      });
    }
  }

  // The same if all blocks were at home.
  template <class Act>
  void visit_homes(const BlockSet& blocks, const Act& act) const {
    for (const BlockSet::Progression& progression : blocks.progressions())
      for_each_part(progression, equal_bytes_.has_value(), act);
  }

  bool all_at_home(const BlockSet::Progression& progression) const {
    bool all = true;
    for_each_unit(progression, [&](std::size_t unit) { all = all && held_[unit].at_home; });
    return all;
  }

  // Calls act(lying) with the homes of the blocks of a progression: all at once if they are
  // consecutive or equal, one by one otherwise.
  template <class Act>
  void for_each_part(const BlockSet::Progression& progression, bool equal, const Act& act) const {
    const auto first = static_cast<std::size_t>(progression.first);
    const auto count = static_cast<std::size_t>(progression.count);
    const auto stride = static_cast<std::size_t>(progression.stride);
    if (stride == 1) return act(lying_at_home(first, count));
    if (!equal) {
      for (std::size_t i = 0; i < count; ++i) act(lying_at_home(first + i * stride, 1));
      return;
    }
    Lying lying = lying_at_home(first, 1);
    lying.count = lying.times = count;
    lying.apart = stride * lying.bytes;
    act(lying);
  }

  void copy_home(std::size_t first, std::size_t end) {
    EvenSteps steps(most_copied_at_once, builder_);
    visit_held(first, end, [&](const Lying& lying) {
      const Address to = message_ + lying.offset;
      if (!lying.is_at(to))
        add(steps, copy_step(lying.bytes, lying.at, to), lying,
            {.source = apart(lying), .destination = along(lying)}, lying.first - first);
    });
    add_together(
        std::move(steps), BlockRun{first, end, 0}.blocks(),
        [&](const Held& held) { await(held.written); },
        [](Held& held, StepRange copied) {
          held.at_home = true;
          held.written = copied;
        });
  }

  // The distance from one place to the next: of the blocks as they lie, and of a copy in which they
  // lie one after another.
  static std::ptrdiff_t apart(const Lying& lying) {
    return static_cast<std::ptrdiff_t>(lying.apart);
  }
  static std::ptrdiff_t along(const Lying& lying) {
    return static_cast<std::ptrdiff_t>(lying.bytes);
  }

  // Adds what is done with blocks, in parts that are short enough. `step` is what is done in the
  // first place, `distance` how far from it the next is.
  // @param position  the first block's position among the blocks of all these steps.
  void add(EvenSteps& steps, const Step& step, const Lying& lying, Repetition distance,
           std::size_t position) const {
    if (lying.times > 1) {
      distance.times = static_cast<std::uint32_t>(lying.times);
      return steps.add_even(step, distance, position, lying.count / lying.times);
    }
    if (lying.bytes <= most_copied_at_once)
      return steps.add(step, position, position + lying.count);
    const auto offset_of = [this](std::size_t block) { return offset(block); };
    const std::size_t last = lying.first + lying.count;
    for (std::size_t first = lying.first; first < last;) {
      const std::size_t end = end_within(offset_of, first, last, most_copied_at_once);
      const std::size_t behind = bytes_of(lying.first, first);
      Step part = step;
      part.bytes = bytes_of(first, end);
      part.source = step.source + behind;
      if (step.kind == Step::Kind::combine) part.right = step.right + behind;
      part.destination = step.destination + behind;
      steps.add(part, position + first - lying.first, position + end - lying.first);
      first = end;
    }
  }

  // Adds the steps. Their pieces are blocks of a set, by position. before(held) names the steps
  // that a block's step awaits; after(held, steps) is told the steps that were added.
  // Returns them.
  template <class Before, class After>
  std::vector<StepId> add_together(EvenSteps&& together, const BlockSet& blocks,
                                   const Before& before, const After& after) {
    const std::vector<EvenStep> steps = std::move(together).take();
    std::vector<StepId> added;
    BlockSetReader awaiting(blocks);
    for (const EvenStep& even : steps) {
      awaiting.read(even.first, even.end, [&](const BlockSet::Progression& progression) {
        for_each_unit(progression, [&](std::size_t unit) { before(held_[unit]); });
      });
      added.push_back(add_awaiting(even.step));
    }
    // Several steps may touch a unit.
    std::size_t last_unit = held_.size();
    StepRange of_unit;
    const auto end_unit = [&] {
      if (last_unit < held_.size()) after(held_[last_unit], of_unit);
    };
    BlockSetReader touched(blocks);
    for (std::size_t number = 0; number < steps.size(); ++number) {
      touched.read(steps[number].first, steps[number].end, [&](const auto& progression) {
        for_each_unit(progression, [&](std::size_t unit) {
          if (unit != last_unit) {
            end_unit();
            last_unit = unit;
            of_unit.first = added[number];
          }
          of_unit.last = added[number];
        });
      });
    }
    end_unit();
    return added;
  }

  template <class Act>
  void for_each_unit(const BlockSet::Progression& progression, const Act& act) const {
    const auto first = static_cast<std::size_t>(progression.first);
    if (progression.stride == 1) {
      const std::size_t last = units_.of(static_cast<std::size_t>(progression.last()));
      for (std::size_t unit = units_.of(first); unit <= last; ++unit) act(unit);
      return;
    }
    for (int i = 0; i < progression.count; ++i)
      act(units_.of(static_cast<std::size_t>(progression.at(i))));
  }

  template <class Act>
  void for_each_unit(const BlockRun& run, const Act& act) {
    const std::size_t last = units_.of(run.end_block - 1);
    for (std::size_t unit = units_.of(run.first_block); unit <= last; ++unit) act(held_[unit]);
  }

  void await(StepId step) { builder_.await(step); }

  void await(const StepRange& steps) {
    if (steps.empty()) return;
    for (StepId step = steps.first; step <= steps.last; ++step) await(step);
  }

  StepId add_awaiting(const Step& step) { return builder_.add_awaiting(step); }

  void await_earlier_rounds() {
    if (!rounds_.lockstep) return;
    for (const StepId received : last_received_) await(received);
  }

  void end_round() {
    if (received_.empty()) return;
    std::vector<StepId> last = std::exchange(last_received_, std::exchange(received_, {}));
    if (!rounds_.after_all) return;
    // A copy of nothing, which is complete when all messages of this round and of those before are.
    for (const auto* awaited : {&last, &last_received_}) {
      for (const StepId received : *awaited) await(received);
    }
    last_received_ = {add_awaiting({.kind = Step::Kind::copy})};
  }

  void add_round(std::size_t number) {
    const std::vector<StepId> before = std::exchange(last_signals_, {});
    bool signalled = false;
    // The number of messages of this round to each rank.
    std::map<int, std::uint32_t> sent_to;
    // Sends come first: a round passes on what was there at its beginning.
    for (const Exchange& exchange : rounds_.rounds[number]) {
      if (exchange.sender != rank_) continue;
      if (exchange.blocks.empty()) {
        last_signals_.push_back(add_signal(Step::Kind::send, exchange.receiver, number, before));
        signalled = true;
      }
      std::uint32_t& index = sent_to[exchange.receiver];
      if (rounds_.packed) {
        send_packed(exchange, number, index++);
        continue;
      }
      for (const BlockRun& run : runs(exchange.blocks)) {
        send_run(run, message(Step::Kind::send, exchange.receiver, number, index++, run.bytes));
      }
    }
    std::map<int, std::uint32_t> received_from;
    for (const Exchange& exchange : rounds_.rounds[number]) {
      if (exchange.receiver != rank_) continue;
      if (exchange.blocks.empty())
        last_signals_.push_back(add_signal(Step::Kind::receive, exchange.sender, number, {}));
      std::uint32_t& index = received_from[exchange.sender];
      if (rounds_.packed) {
        receive_packed(exchange, number, index++);
        continue;
      }
      for (const BlockRun& run : runs(exchange.blocks)) {
        const Step receive =
            message(Step::Kind::receive, exchange.sender, number, index++, run.bytes);
        if (exchange.combine) {
          combine_run(run, receive);
        } else {
          receive_run(run, receive);
        }
      }
    }
    // Signals of this round wait for those before, so a later signal need not wait for both.
    if (!signalled) last_signals_.insert(last_signals_.end(), before.begin(), before.end());
    end_round();
  }

  Step message(Step::Kind kind, int peer, std::size_t round, std::uint32_t index,
               std::size_t bytes) const {
    return message_of_round(kind, peer, round, rounds_.rounds.size(), index, bytes);
  }

  // Adds a message without content. It is sent when the messages `after` of earlier rounds have
  // arrived.
  StepId add_signal(Step::Kind kind, int peer, std::size_t round,
                    const std::vector<StepId>& after) {
    const StepId step = builder_.add(message(kind, peer, round, 0, 0), {});
    for (const StepId earlier : after) builder_.depend(step, earlier);
    return step;
  }

  // Where the blocks of a run lie one after another; nullopt if they do not.
  std::optional<Address> together(const BlockRun& run) const {
    std::optional<Address> first;
    Address next;
    bool together = true;
    visit_held(run.first_block, run.end_block, [&](const Lying& lying) {
      together = together && lying.is_at(first ? next : lying.at);
      if (!first) first = lying.at;
      next = lying.at + lying.times * lying.bytes;
    });
    return together ? first : std::nullopt;
  }

  void send_run(const BlockRun& run, Step send) {
    std::optional<Address> source = together(run);
    if (!source) {
      copy_home(run.first_block, run.end_block);
      source = home(run.first_block);
    }
    send.source = *source;
    for_each_unit(run, [this](const Held& held) { await(held.written); });
    await_earlier_rounds();
    const StepId sent = add_awaiting(send);
    for_each_unit(run, [&](Held& held) { read_by(held, {sent, sent}); });
  }

  void read_by(Held& held, StepRange steps) {
    if (held.read.empty()) {
      held.read = steps;
    } else {
      held.read_again = true;
      more_readers_[&held].push_back(steps);
    }
  }

  void write_by(Held& held, StepRange steps) {
    if (held.read_again) more_readers_.erase(&held);
    held = {.at_home = true, .written = steps};
  }

  // The message of an exchange, in scratch memory.
  Step packed_message(Step::Kind kind, const Exchange& exchange, std::size_t round,
                      std::uint32_t index) {
    const bool sends = kind == Step::Kind::send;
    Step step = message(kind, sends ? exchange.receiver : exchange.sender, round, index, 0);
    visit_homes(exchange.blocks,
                [&](const Lying& lying) { step.bytes += lying.times * lying.bytes; });
    step.source = step.destination = builder_.scratch(step.bytes);
    return step;
  }

  void send_packed(const Exchange& exchange, std::size_t round, std::uint32_t index) {
    const Step send = packed_message(Step::Kind::send, exchange, round, index);
    EvenSteps steps(most_copied_at_once, builder_);
    std::size_t position = 0;
    Address place = send.source;
    visit_held(exchange.blocks, [&](const Lying& lying) {
      add(steps, copy_step(lying.bytes, lying.at, place), lying,
          {.source = apart(lying), .destination = along(lying)}, position);
      position += lying.count;
      place = place + lying.times * lying.bytes;
    });
    const std::vector<StepId> packed = add_together(
        std::move(steps), exchange.blocks, [&](const Held& held) { await(held.written); },
        [&](Held& held, StepRange copied) { read_by(held, copied); });
    for (const StepId copied : packed) await(copied);
    await_earlier_rounds();
    add_awaiting(send);
  }

  void receive_packed(const Exchange& exchange, std::size_t round, std::uint32_t index) {
    const Step receive = packed_message(Step::Kind::receive, exchange, round, index);
    const StepId received = builder_.add(receive, {});
    received_.push_back(received);
    combine_or_copy(exchange.blocks, receive, received, exchange.combine);
  }

  void receive_run(const BlockRun& run, Step receive) {
    receive.destination = home(run.first_block);
    for_each_unit(run, [this](const Held& held) { await_free(held); });
    const StepId received = add_awaiting(receive);
    received_.push_back(received);
    for_each_unit(run, [&](Held& held) { write_by(held, {received, received}); });
  }

  void combine_run(const BlockRun& run, Step receive) {
    receive.destination = builder_.scratch(run.bytes);
    const StepId received = builder_.add(receive, {});
    received_.push_back(received);
    combine_or_copy(run.blocks(), receive, received, true);
  }

  // Adds steps that bring the blocks of a message to their homes, combined with what is here.
  void combine_or_copy(const BlockSet& blocks, const Step& receive, StepId received, bool combine) {
    EvenSteps steps(most_copied_at_once, builder_);
    const bool theirs_first = receive.peer < rank_;
    std::size_t position = 0;
    Address theirs = receive.destination;
    const auto add_theirs = [&](const Lying& lying) {
      const Address to = message_ + lying.offset;
      Step step = copy_step(lying.bytes, theirs, to);
      Repetition distance{.source = along(lying), .destination = apart(lying)};
      if (combine) {
        step.kind = Step::Kind::combine;
        step.right = lying.at;
        distance.right = apart(lying);
        // Blocks that are not yet at home will lie one after another there.
        if (lying.at != to) distance.destination = along(lying);
        if (!theirs_first) {
          std::swap(step.source, step.right);
          std::swap(distance.source, distance.right);
        }
      }
      add(steps, step, lying, distance, position);
      position += lying.count;
      theirs = theirs + lying.times * lying.bytes;
    };
    if (combine) {
      visit_held(blocks, add_theirs);
    } else {
      visit_homes(blocks, add_theirs);
    }
    add_together(
        std::move(steps), blocks,
        [&](const Held& held) {
          await(received);
          await_free(held);
        },
        [&](Held& held, StepRange written) { write_by(held, written); });
  }

  // Awaits all steps that wrote blocks or still read them, even at another address: in place, both
  // addresses are the same memory.
  void await_free(const Held& held) {
    await(held.written);
    await(held.read);
    if (!held.read_again) return;
    for (const StepRange& readers : more_readers_[&held]) await(readers);
  }

  // Copies blocks to the output.
  void deliver() {
    EvenSteps steps(most_copied_at_once, builder_);
    visit_after(0, pieces_.size(), [&](const Lying& wanted) {
      deliver(wanted, steps);
      return true;
    });
    add_together(
        std::move(steps), BlockRun{0, pieces_.size(), 0}.blocks(),
        [&](const Held& held) { await(held.written); }, [](Held&, StepRange) {});
  }

  // Adds copies of blocks from where they are to where they are wanted.
  void deliver(const Lying& wanted, EvenSteps& steps) const {
    if (is_at_home(wanted)) {
      const Address from = message_ + wanted.offset;
      if (!wanted.is_at(from))
        add(steps, copy_step(wanted.bytes, from, wanted.at), wanted,
            {.source = along(wanted), .destination = apart(wanted)}, wanted.first);
      return;
    }
    const std::size_t each = wanted.count / wanted.times;
    for (std::size_t i = 0; i < wanted.times; ++i) {
      const std::size_t first = wanted.first + i * each;
      Address to = wanted.at + i * wanted.apart;
      visit_held(first, first + each, [&](const Lying& lying) {
        if (lying.at != to)
          add(steps, copy_step(lying.bytes, lying.at, to), lying, {}, lying.first);
        to = to + lying.bytes;
      });
    }
  }

  bool is_at_home(const Lying& wanted) const {
    return all_at_home({static_cast<int>(wanted.first), static_cast<int>(wanted.count), 1});
  }

  const Rounds& rounds_;
  const Pieces& pieces_;
  const BlockPlaces& places_;
  int rank_;
  std::size_t longest_run_;
  std::optional<std::size_t> equal_bytes_;
  AwaitingBuilder builder_;
  Address message_;  // where the homes of blocks are
  Units units_;
  std::vector<Held> held_;  // by unit
  std::map<const Held*, std::vector<StepRange>> more_readers_;
  std::vector<StepId> last_signals_;
  std::vector<StepId> received_;       // the messages received in this round
  std::vector<StepId> last_received_;  // those of the last round with any
};

}  // namespace

Schedule compile(const Rounds& rounds, const Pieces& pieces, const BlockPlaces& places, int rank,
                 const Pipelining& pipelining) {
  Schedule schedule =
      RoundsCompiler(rounds, pieces, places, rank, pipelining.segment_bytes).compile();
  schedule.sends_at_a_time = pipelining.sends_at_a_time;
  return schedule;
}

Schedule compile(const Rounds& rounds, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining) {
  return compile(rounds, Pieces(conditions), ListedPlaces(placing), rank, pipelining);
}

}  // namespace cuboid::detail
