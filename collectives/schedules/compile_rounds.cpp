#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/runs.hpp"
#include "collectives/types/tag.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace cuboid::detail {

namespace {

// What a rank knows of one block while it lays out its rounds.
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
        contract_(conditions),
        placing_(placing),
        rank_(rank),
        longest_run_(longest_run) {
    place_blocks();
  }

  Schedule compile() && {
    // A step for each block and, where there are many, few messages.
    builder_.reserve(contract_.blocks.size() * 9 / 8);
    for (std::size_t number = 0; number < rounds_.rounds.size(); ++number) add_round(number);
    deliver();
    return std::move(builder_).finish();
  }

 private:
  // Where a block is kept between rounds: in the caller's output when the blocks lie there as they
  // do in the message, so that runs of blocks can be sent and received in place; else in scratch,
  // and copied at the end.
  void place_blocks() {
    const std::size_t blocks = contract_.blocks.size();
    held_.resize(blocks);
    for (std::size_t block = 0; block < blocks; ++block) {
      if (placing_.before[block]) held_[block].at = *placing_.before[block];
    }
    if (!rounds_.packed) make_homes();
  }

  // Blocks that travel in runs have a place among the others.
  void make_homes() {
    const std::size_t blocks = contract_.blocks.size();
    bool output_is_message = blocks > 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto& after = placing_.after[block];
      output_is_message = output_is_message && after && after->area == Area::output &&
                          after->offset == contract_.blocks[block].slice.offset;
    }
    Address message{Area::output, 0};
    if (!output_is_message && blocks > 0)
      message = builder_.scratch(contract_.blocks.back().slice.end());
    home_.reserve(blocks);
    for (const Block& block : contract_.blocks) home_.push_back(message + block.slice.offset);
  }

  // Whether the blocks of a run lie one after the other, in the caller's input maybe.
  bool together(const BlockRun& run) const {
    return end_of_piece(run, run.first_block) == run.end_block;
  }

  void bring_home(const BlockRun& run) {
    for (std::size_t block = run.first_block; block < run.end_block; ++block) {
      if (held_[block].at == home_[block]) continue;
      held_[block].written = copy(block, home_[block]);
      held_[block].at = home_[block];
    }
  }

  StepId copy(std::size_t block, Address destination) {
    return builder_.add({.kind = Step::Kind::copy,
                         .bytes = contract_.blocks[block].slice.bytes,
                         .source = held_[block].at,
                         .destination = destination},
                        {held_[block].written});
  }

  void add_round(std::size_t number) {
    std::vector<StepId> before = std::exchange(last_signals_, {});
    // Messages of a round between the same two ranks are numbered.
    std::map<int, std::uint32_t> sent_to;
    // Sends first: a round passes on what was there at its start.
    for (const Exchange& exchange : rounds_.rounds[number]) {
      if (exchange.sender != rank_) continue;
      if (exchange.blocks.empty())
        last_signals_.push_back(add_signal(Step::Kind::send, exchange.receiver, number, before));
      if (rounds_.packed) {
        send_packed(exchange, number);
        continue;
      }
      std::uint32_t& index = sent_to[exchange.receiver];
      for (const BlockRun& run : runs_of(exchange.blocks, contract_, longest_run_)) {
        send_run(run, message(Step::Kind::send, exchange.receiver, number, index++, run.bytes));
      }
    }
    std::map<int, std::uint32_t> received_from;
    for (const Exchange& exchange : rounds_.rounds[number]) {
      if (exchange.receiver != rank_) continue;
      if (exchange.blocks.empty())
        last_signals_.push_back(add_signal(Step::Kind::receive, exchange.sender, number, {}));
      if (rounds_.packed) {
        receive_packed(exchange, number);
        continue;
      }
      std::uint32_t& index = received_from[exchange.sender];
      for (const BlockRun& run : runs_of(exchange.blocks, contract_, longest_run_)) {
        const Step receive =
            message(Step::Kind::receive, exchange.sender, number, index++, run.bytes);
        if (exchange.combine) {
          combine_run(run, receive);
        } else {
          receive_run(run, receive);
        }
      }
    }
    if (last_signals_.empty()) last_signals_ = std::move(before);
  }

  Step message(Step::Kind kind, int peer, std::size_t round, std::uint32_t index,
               std::size_t bytes) const {
    Step step{.kind = kind, .peer = peer, .bytes = bytes};
    // Messages beyond the number of segments use further channels.
    const auto number = static_cast<std::uint32_t>(round);
    const auto rounds = static_cast<std::uint32_t>(rounds_.rounds.size());
    step.channel = number + index / Tag::max_segments_in_flight * rounds;
    step.segment = index % Tag::max_segments_in_flight;
    return step;
  }

  // A message without content: sent once all of the last round with any has happened here.
  StepId add_signal(Step::Kind kind, int peer, std::size_t round,
                    const std::vector<StepId>& after) {
    const StepId step = builder_.add(message(kind, peer, round, 0, 0), {});
    for (const StepId earlier : after) builder_.depend(step, earlier);
    return step;
  }

  void send_run(const BlockRun& run, Step send) {
    if (!together(run)) bring_home(run);
    send.source = held_[run.first_block].at;
    const StepId sent = builder_.add(send, {});
    for (std::size_t block = run.first_block; block < run.end_block; ++block) {
      const bool as_before =
          block > run.first_block && held_[block].written == held_[block - 1].written;
      if (!as_before) builder_.depend(sent, held_[block].written);
      held_[block].read_by(sent);
    }
  }

  std::size_t bytes_of(const std::vector<int>& blocks) const {
    std::size_t bytes = 0;
    for (const int block : blocks)
      bytes += contract_.blocks[static_cast<std::size_t>(block)].slice.bytes;
    return bytes;
  }

  void send_packed(const Exchange& exchange, std::size_t round) {
    Step send = message(Step::Kind::send, exchange.receiver, round, 0, bytes_of(exchange.blocks));
    send.source = builder_.scratch(send.bytes);
    const std::vector<StepId> packed = pack(exchange.blocks, send.source);
    const StepId sent = builder_.add(send, {});
    for (const StepId copied : packed) builder_.depend(sent, copied);
  }

  // Blocks that lie one after the other already are copied together.
  std::vector<StepId> pack(const std::vector<int>& blocks, Address destination) {
    std::vector<StepId> steps;
    for (std::size_t next = 0; next < blocks.size();) {
      Step step{.kind = Step::Kind::copy,
                .source = held_[static_cast<std::size_t>(blocks[next])].at,
                .destination = destination};
      std::vector<StepId> written;
      for (; next < blocks.size(); ++next) {
        const auto block = static_cast<std::size_t>(blocks[next]);
        if (held_[block].at != step.source + step.bytes) break;
        step.bytes += contract_.blocks[block].slice.bytes;
        written.push_back(held_[block].written);
      }
      destination = destination + step.bytes;
      steps.push_back(builder_.add(step, {}));
      for (const StepId before : written) builder_.depend(steps.back(), before);
    }
    return steps;
  }

  void receive_packed(const Exchange& exchange, std::size_t round) {
    Step receive =
        message(Step::Kind::receive, exchange.sender, round, 0, bytes_of(exchange.blocks));
    receive.destination = builder_.scratch(receive.bytes);
    const StepId received = builder_.add(receive, {});
    std::size_t offset = 0;
    for (const int number : exchange.blocks) {
      const auto block = static_cast<std::size_t>(number);
      held_[block] = {.at = receive.destination + offset, .written = received};
      offset += contract_.blocks[block].slice.bytes;
    }
  }

  void receive_run(const BlockRun& run, Step receive) {
    receive.destination = home_[run.first_block];
    const StepId received = builder_.add(receive, {});
    for (std::size_t block = run.first_block; block < run.end_block; ++block) {
      overwrite(block, received, home_[block]);
    }
  }

  void combine_run(const BlockRun& run, Step receive) {
    receive.destination = builder_.scratch(run.bytes);
    const StepId received = builder_.add(receive, {});
    std::size_t offset = 0;
    for (std::size_t block = run.first_block; block < run.end_block;) {
      const std::size_t end = end_of_piece(run, block);
      const Address mine = held_[block].at;
      const Address theirs = receive.destination + offset;
      const bool theirs_first = receive.peer < rank_;
      Step combine{.kind = Step::Kind::combine,
                   .source = theirs_first ? theirs : mine,
                   .right = theirs_first ? mine : theirs,
                   .destination = home_[block]};
      for (std::size_t part = block; part < end; ++part)
        combine.bytes += contract_.blocks[part].slice.bytes;
      offset += combine.bytes;
      const StepId combined = builder_.add(combine, {received});
      for (; block < end; ++block) overwrite(block, combined, home_[block]);
    }
  }

  // Up to where blocks of a run lie one after the other.
  std::size_t end_of_piece(const BlockRun& run, std::size_t block) const {
    Address next = held_[block].at;
    while (block < run.end_block && held_[block].at == next)
      next = next + contract_.blocks[block++].slice.bytes;
    return block;
  }

  // `step` writes the block, after all steps that wrote or still read it, even at another address
  // (in place, both addresses are the same memory).
  void overwrite(std::size_t block, StepId step, Address at) {
    Held& held = held_[block];
    builder_.depend(step, held.written);
    builder_.depend(step, held.reader);
    for (const StepId reader : held.more_readers) builder_.depend(step, reader);
    held = {.at = at, .written = step};
  }

  void deliver() {
    for (std::size_t block = 0; block < held_.size(); ++block) {
      const auto& after = placing_.after[block];
      if (after && held_[block].at != *after) copy(block, *after);
    }
  }

  const Rounds& rounds_;
  const Conditions& contract_;
  const Placing& placing_;
  int rank_;
  std::size_t longest_run_;
  ScheduleBuilder builder_;
  std::vector<Address> home_;
  std::vector<Held> held_;
  std::vector<StepId> last_signals_;
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
