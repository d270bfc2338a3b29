#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/even_pieces.hpp"
#include "collectives/schedules/slices.hpp"
#include "collectives/types/tag.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace cuboid::detail {

namespace {

// The most bytes that one step copies of several blocks, as no message progresses meanwhile.
constexpr std::size_t most_copied_at_once = 65536;

// Where one block lies on this rank, and the steps that touch it, while rounds are compiled.
struct Held {
  Address at;
  StepId written = ScheduleBuilder::none;
  StepId reader = ScheduleBuilder::none;  // since it was written
  std::vector<StepId> more_readers = {};

  void read_by(StepId step) {
    if (reader == ScheduleBuilder::none) {
      reader = step;
    } else {
      more_readers.push_back(step);
    }
  }
};

class RoundsCompiler {
 public:
  RoundsCompiler(const Rounds& rounds, const Conditions& conditions, const Placing& placing,
                 int rank, std::size_t longest_run)
      : rounds_(rounds),
        conditions_(conditions),
        placing_(placing),
        rank_(rank),
        longest_run_(longest_run) {
    place_blocks();
  }

  Schedule compile() && {
    for (std::size_t number = 0; number < rounds_.rounds.size(); ++number) add_round(number);
    deliver();
    return std::move(builder_).finish();
  }

 private:
  // Decides where blocks lie between rounds (their homes). If they lie in the caller's output as
  // they do in the message, runs of blocks are sent and received there. Otherwise their homes are
  // in scratch memory, and they are copied to the output at the end.
  void place_blocks() {
    const std::size_t blocks = conditions_.blocks.size();
    held_.resize(blocks);
    bool output_is_message = blocks > 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      if (placing_.before[block]) held_[block].at = *placing_.before[block];
      const auto& after = placing_.after[block];
      output_is_message = output_is_message && after && after->area == Area::output &&
                          after->offset == conditions_.blocks[block].slice.offset;
    }
    Address message{Area::output, 0};
    if (!output_is_message && blocks > 0)
      message = builder_.scratch(conditions_.blocks.back().slice.end());
    home_.reserve(blocks);
    for (const Block& block : conditions_.blocks) home_.push_back(message + block.slice.offset);
    // Blocks to be packed lie in the order of their numbers, so that few copies pack them.
    if (rounds_.packed && !lies_as_numbered()) copy_home({0, blocks, 0});
  }

  // True if the blocks that the rank has at first lie in its input as in the message.
  bool lies_as_numbered() const {
    for (std::size_t block = 0; block < held_.size(); ++block) {
      const auto& before = placing_.before[block];
      if (before && before->offset != conditions_.blocks[block].slice.offset) return false;
    }
    return true;
  }

  // True if the blocks of a run lie one after another, wherever they are.
  bool together(const BlockRun& run) const {
    Address next = held_[run.first_block].at;
    for (std::size_t block = run.first_block; block < run.end_block; ++block) {
      if (held_[block].at != next) return false;
      next = next + bytes_of(block);
    }
    return true;
  }

  void copy_home(const BlockRun& run) {
    std::vector<std::size_t> away;
    for (std::size_t block = run.first_block; block < run.end_block; ++block) {
      if (placing_.before[block] && held_[block].at != home_[block]) away.push_back(block);
    }
    copy(away, [&](std::size_t block) { return home_[block]; });
  }

  // Copies blocks to their destinations, where they are from then on.
  template <class Destination>
  void copy(const std::vector<std::size_t>& blocks, const Destination& destination) {
    std::vector<Step> pieces;
    pieces.reserve(blocks.size());
    for (const std::size_t block : blocks)
      pieces.push_back(copy_step(block, held_[block].at, destination(block)));
    add_together(
        pieces, blocks, [&](std::size_t block) { await(held_[block].written); },
        [&](std::size_t block, StepId copied) {
          held_[block].at = destination(block);
          held_[block].written = copied;
        });
  }

  Step copy_step(std::size_t block, Address from, Address to) const {
    return {.kind = Step::Kind::copy, .bytes = bytes_of(block), .source = from, .destination = to};
  }

  // Adds steps for blocks, one piece each. before(block) names the steps that a block's step
  // awaits; after(block, step) is told the step that was added.
  template <class Before, class After>
  void add_together(const std::vector<Step>& pieces, const std::vector<std::size_t>& blocks,
                    const Before& before, const After& after) {
    auto first = blocks.begin();
    for (const EvenStep& even : put_together(pieces, most_copied_at_once, builder_)) {
      const auto end = first + static_cast<std::ptrdiff_t>(even.pieces);
      std::for_each(first, end, before);
      const StepId added = add_awaiting(even.step);
      for (; first != end; ++first) after(*first, added);
    }
  }

  // Makes the next step that is added await `step`.
  void await(StepId step) {
    if (step != ScheduleBuilder::none) awaited_.push_back(step);
  }

  StepId add_awaiting(const Step& step) {
    std::ranges::sort(awaited_);
    awaited_.erase(std::ranges::unique(awaited_).begin(), awaited_.end());
    const StepId added = builder_.add(step, {});
    for (const StepId before : awaited_) builder_.depend(added, before);
    awaited_.clear();
    return added;
  }

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

  std::size_t bytes_of(std::size_t block) const { return conditions_.blocks[block].slice.bytes; }

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
      for (const BlockRun& run : runs_of(exchange.blocks, conditions_, longest_run_)) {
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
      for (const BlockRun& run : runs_of(exchange.blocks, conditions_, longest_run_)) {
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
    Step step{.kind = kind, .peer = peer, .bytes = bytes};
    // A channel has a limited number of segments; further messages use further channels.
    const auto number = static_cast<std::uint32_t>(round);
    const auto rounds = static_cast<std::uint32_t>(rounds_.rounds.size());
    step.channel = number + index / Tag::max_segments_in_flight * rounds;
    step.segment = static_cast<std::uint16_t>(index % Tag::max_segments_in_flight);
    return step;
  }

  // Adds a message without content. It is sent when the messages `after` of earlier rounds have
  // arrived.
  StepId add_signal(Step::Kind kind, int peer, std::size_t round,
                    const std::vector<StepId>& after) {
    const StepId step = builder_.add(message(kind, peer, round, 0, 0), {});
    for (const StepId earlier : after) builder_.depend(step, earlier);
    return step;
  }

  void send_run(const BlockRun& run, Step send) {
    if (!together(run)) copy_home(run);
    send.source = held_[run.first_block].at;
    for (std::size_t block = run.first_block; block < run.end_block; ++block)
      await(held_[block].written);
    await_earlier_rounds();
    const StepId sent = add_awaiting(send);
    for (std::size_t block = run.first_block; block < run.end_block; ++block)
      held_[block].read_by(sent);
  }

  // The message of an exchange, in scratch memory.
  Step packed_message(Step::Kind kind, const Exchange& exchange, std::size_t round,
                      std::uint32_t index) {
    const bool sends = kind == Step::Kind::send;
    Step step = message(kind, sends ? exchange.receiver : exchange.sender, round, index, 0);
    for (const int block : exchange.blocks) step.bytes += bytes_of(static_cast<std::size_t>(block));
    step.source = step.destination = builder_.scratch(step.bytes);
    return step;
  }

  void send_packed(const Exchange& exchange, std::size_t round, std::uint32_t index) {
    const Step send = packed_message(Step::Kind::send, exchange, round, index);
    const std::vector<std::size_t> blocks(exchange.blocks.begin(), exchange.blocks.end());
    std::vector<Step> pieces;
    Address place = send.source;
    for (const std::size_t block : blocks) {
      pieces.push_back(copy_step(block, held_[block].at, place));
      place = place + bytes_of(block);
    }
    std::vector<StepId> packed;
    add_together(
        pieces, blocks, [&](std::size_t block) { await(held_[block].written); },
        [&](std::size_t block, StepId copied) {
          held_[block].read_by(copied);
          packed.push_back(copied);
        });
    for (const StepId copied : packed) await(copied);
    await_earlier_rounds();
    add_awaiting(send);
  }

  void receive_packed(const Exchange& exchange, std::size_t round, std::uint32_t index) {
    const Step receive = packed_message(Step::Kind::receive, exchange, round, index);
    const StepId received = builder_.add(receive, {});
    received_.push_back(received);
    const std::vector<std::size_t> blocks(exchange.blocks.begin(), exchange.blocks.end());
    if (exchange.combine) {
      combine(receive, received, blocks);
      return;
    }
    std::vector<Step> pieces;
    Address place = receive.destination;
    for (const std::size_t block : blocks) {
      pieces.push_back(copy_step(block, place, home_[block]));
      place = place + bytes_of(block);
    }
    overwrite(pieces, blocks, received);
  }

  void receive_run(const BlockRun& run, Step receive) {
    receive.destination = home_[run.first_block];
    for (std::size_t block = run.first_block; block < run.end_block; ++block) await_free(block);
    const StepId received = add_awaiting(receive);
    received_.push_back(received);
    for (std::size_t block = run.first_block; block < run.end_block; ++block)
      held_[block] = {.at = home_[block], .written = received};
  }

  void combine_run(const BlockRun& run, Step receive) {
    receive.destination = builder_.scratch(run.bytes);
    std::vector<std::size_t> blocks(run.end_block - run.first_block);
    std::iota(blocks.begin(), blocks.end(), run.first_block);
    received_.push_back(builder_.add(receive, {}));
    combine(receive, received_.back(), blocks);
  }

  // Combines blocks that were received in one message.
  void combine(const Step& receive, StepId received, const std::vector<std::size_t>& blocks) {
    const bool theirs_first = receive.peer < rank_;
    std::vector<Step> pieces;
    Address theirs = receive.destination;
    for (const std::size_t block : blocks) {
      const Address mine = held_[block].at;
      pieces.push_back({.kind = Step::Kind::combine,
                        .bytes = bytes_of(block),
                        .source = theirs_first ? theirs : mine,
                        .right = theirs_first ? mine : theirs,
                        .destination = home_[block]});
      theirs = theirs + bytes_of(block);
    }
    overwrite(pieces, blocks, received);
  }

  // Adds steps that bring received blocks to their homes.
  void overwrite(const std::vector<Step>& pieces, const std::vector<std::size_t>& blocks,
                 StepId received) {
    add_together(
        pieces, blocks,
        [&](std::size_t block) {
          await(received);
          await_free(block);
        },
        [&](std::size_t block, StepId step) {
          held_[block] = {.at = home_[block], .written = step};
        });
  }

  // Awaits all steps that wrote a block or still read it, even at another address: in place, both
  // addresses are the same memory.
  void await_free(std::size_t block) {
    const Held& held = held_[block];
    await(held.written);
    await(held.reader);
    for (const StepId reader : held.more_readers) await(reader);
  }

  // Copies blocks to the output, some thousands at a time: this needs less memory, and hardly more
  // steps, than all at once.
  void deliver() {
    constexpr std::size_t at_a_time = 8192;
    std::vector<std::size_t> blocks;
    const auto copy_them = [&] {
      copy(blocks, [&](std::size_t block) { return *placing_.after[block]; });
      blocks.clear();
    };
    for (std::size_t block = 0; block < held_.size(); ++block) {
      const auto& after = placing_.after[block];
      if (after && held_[block].at != *after) blocks.push_back(block);
      if (blocks.size() == at_a_time) copy_them();
    }
    copy_them();
  }

  const Rounds& rounds_;
  const Conditions& conditions_;
  const Placing& placing_;
  int rank_;
  std::size_t longest_run_;
  ScheduleBuilder builder_;
  std::vector<Address> home_;
  std::vector<Held> held_;
  std::vector<StepId> last_signals_;
  std::vector<StepId> received_;       // the messages received in this round
  std::vector<StepId> last_received_;  // those of the last round with any
  std::vector<StepId> awaited_;
};

}  // namespace

Schedule compile(const Rounds& rounds, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining) {
  Schedule schedule =
      RoundsCompiler(rounds, conditions, placing, rank, pipelining.segment_bytes).compile();
  schedule.sends_at_a_time = pipelining.sends_at_a_time;
  return schedule;
}

}  // namespace cuboid::detail
