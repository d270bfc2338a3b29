#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/even_pieces.hpp"
#include "collectives/schedules/round_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

// Compiles packed rounds in which a rank sends and receives the same blocks in a round. A block is
// written by one step and read by one until it is written again. So two steps for each block are
// all that is remembered.
class DistanceCompiler {
 public:
  DistanceCompiler(const Rounds& rounds, const Shape& shape, std::size_t block_bytes, int rank)
      : rounds_(rounds),
        shape_(shape),
        block_(block_bytes),
        rank_(rank),
        longest_copy_(longest_copy(rounds, block_bytes)),
        home_(builder_.scratch(static_cast<std::size_t>(rounds.ranks) * block_bytes)),
        read_(static_cast<std::size_t>(rounds.ranks), ScheduleBuilder::none) {}

  Schedule compile() && {
    bring_home();
    for (std::size_t number = 0; number < rounds_.rounds.size(); ++number) add_round(number);
    deliver();
    return std::move(builder_).finish();
  }

 private:
  // The copies of very long calls are longer, so that a plan has few steps.
  static std::size_t longest_copy(const Rounds& rounds, std::size_t block_bytes) {
    constexpr std::size_t enough_copies = 1024;
    return std::max(most_copied_at_once,
                    static_cast<std::size_t>(rounds.ranks) * block_bytes / enough_copies);
  }

  // Copies of all blocks, line by line: upwards (+1) from the input, where a block lies by the rank
  // that it goes to; downwards (−1) to the output, where it lies by the rank that it came from.
  // Positions along an axis begin anew once. The lines on the same sides of these places, a box of
  // the shape, are alike, and become few steps.
  std::vector<EvenStep> copies_of_all(int direction) {
    std::vector<EvenSteps> boxes(std::size_t{1} << shape_.dimensions(),
                                 EvenSteps(longest_copy_, builder_));
    add_lines(boxes, direction, 0, 0, 0, 0);
    std::vector<EvenStep> all;
    for (EvenSteps& box : boxes) std::ranges::move(std::move(box).take(), std::back_inserter(all));
    return all;
  }

  // `distance`, `there` and `box`: the numbers of the distance, of the position and of the box,
  // along the axes before this one.
  void add_lines(std::vector<EvenSteps>& boxes, int direction, int axis, std::size_t box,
                 std::size_t distance, std::size_t there) const {
    const int extent = shape_.extent(axis);
    const int here = shape_.coordinate(rank_, axis);
    const int turn = direction > 0 ? extent - here : here + 1;  // the first distance beyond the end
    for (const bool beyond : {false, true}) {
      const int first = beyond ? turn : 0;
      const int end = beyond ? extent : turn;
      const std::size_t of_box = 2 * box + (beyond ? 1 : 0);
      const auto further = [&](std::size_t number, int position) {
        return number * static_cast<std::size_t>(extent) + static_cast<std::size_t>(position);
      };
      const auto position = [&](int far) { return (here + direction * far + extent) % extent; };
      if (axis + 1 == shape_.dimensions()) {
        if (first < end)
          add_line(boxes[of_box], direction, further(distance, first),
                   further(there, position(first)), static_cast<std::size_t>(end - first));
        continue;
      }
      for (int far = first; far < end; ++far)
        add_lines(boxes, direction, axis + 1, of_box, further(distance, far),
                  further(there, position(far)));
    }
  }

  void add_line(EvenSteps& steps, int direction, std::size_t distance, std::size_t there,
                std::size_t count) const {
    const Address at_home = home_ + distance * block_;
    if (direction > 0) return add(steps, {Area::input, there * block_}, at_home, distance, count);
    const Repetition each{.times = static_cast<std::uint32_t>(count),
                          .source = bytes_apart(1),
                          .destination = -bytes_apart(1)};
    steps.add_even(copy_step(block_, at_home, {Area::output, there * block_}), each, distance, 1);
  }

  // Adds copies of blocks that lie one after another at both places.
  void add(EvenSteps& steps, Address from, Address to, std::size_t position,
           std::size_t count) const {
    const std::size_t most =
        std::max<std::size_t>(longest_copy_ / std::max<std::size_t>(block_, 1), 1);
    for (std::size_t done = 0; done < count; done += most) {
      const std::size_t now = std::min(most, count - done);
      steps.add(copy_step(now * block_, from + done * block_, to + done * block_), position + done,
                position + done + now);
    }
  }

  std::ptrdiff_t bytes_apart(int blocks) const {
    return static_cast<std::ptrdiff_t>(block_) * blocks;
  }

  // Copies all blocks from the input.
  void bring_home() {
    for (const EvenStep& even : copies_of_all(+1)) builder_.await(builder_.add(even.step, {}));
    const StepId all_home = builder_.add_awaiting({.kind = Step::Kind::copy});
    written_.assign(static_cast<std::size_t>(rounds_.ranks), all_home);
  }

  // Copies all blocks to the output. A copy stands for lines of a box; it also waits for the blocks
  // of other boxes between these.
  void deliver() {
    for (const EvenStep& even : copies_of_all(-1)) {
      for (std::size_t block = even.first; block < even.end; ++block)
        builder_.await(written_[block]);
      builder_.add_awaiting(even.step);
    }
  }

  void add_round(std::size_t number) {
    std::map<int, std::uint32_t> sent_to;  // the number of messages of this round to each rank
    for (const Exchange& exchange : rounds_.rounds[number]) {
      if (exchange.sender == rank_) send(exchange, number, sent_to[exchange.receiver]++);
    }
    const std::vector<StepId> before = std::exchange(received_, {});
    std::map<int, std::uint32_t> received_from;
    for (const Exchange& exchange : rounds_.rounds[number]) {
      if (exchange.receiver == rank_) receive(exchange, number, received_from[exchange.sender]++);
    }
    if (received_.empty()) received_ = before;
  }

  void send(const Exchange& exchange, std::size_t round, std::uint32_t index) {
    Step send = message(Step::Kind::send, exchange.receiver, exchange, round, index);
    for (const StepId packed : copy_blocks(exchange.blocks, send.source, Way::pack))
      builder_.await(packed);
    if (rounds_.lockstep) {
      for (const StepId received : received_) builder_.await(received);
    }
    builder_.add_awaiting(send);
  }

  void receive(const Exchange& exchange, std::size_t round, std::uint32_t index) {
    const Step receive = message(Step::Kind::receive, exchange.sender, exchange, round, index);
    received_.push_back(builder_.add(receive, {}));
    copy_blocks(exchange.blocks, receive.destination, Way::unpack);
  }

  // The message of an exchange, in scratch memory.
  Step message(Step::Kind kind, int peer, const Exchange& exchange, std::size_t round,
               std::uint32_t index) {
    const std::size_t bytes = exchange.blocks.size() * block_;
    Step step = message_of_round(kind, peer, round, rounds_.rounds.size(), index, bytes);
    step.source = step.destination = builder_.scratch(bytes);
    return step;
  }

  enum class Way { pack, unpack };

  // Adds copies of blocks between their homes and the message, and returns them. Unpacking awaits
  // the message that has been received last.
  std::vector<StepId> copy_blocks(const BlockSet& blocks, Address message, Way way) {
    const bool packs = way == Way::pack;
    EvenSteps steps(longest_copy_, builder_);
    std::size_t position = 0;
    for (const auto& [first, count, stride] : blocks.progressions()) {
      const Address at_home = home_ + static_cast<std::size_t>(first) * block_;
      const Address in_message = message + position * block_;
      const Address from = packs ? at_home : in_message;
      const Address to = packs ? in_message : at_home;
      if (stride == 1) {
        add(steps, from, to, position, static_cast<std::size_t>(count));
      } else {
        const Repetition each{.times = static_cast<std::uint32_t>(count),
                              .source = bytes_apart(packs ? stride : 1),
                              .destination = bytes_apart(packs ? 1 : stride)};
        steps.add_even(copy_step(block_, from, to), each, position, 1);
      }
      position += static_cast<std::size_t>(count);
    }
    const std::vector<StepId>& before = packs ? written_ : read_;
    std::vector<StepId>& now = packs ? read_ : written_;
    std::vector<StepId> added;
    auto awaiting = blocks.begin();
    auto touched = blocks.begin();
    for (const EvenStep& even : std::move(steps).take()) {
      if (!packs) builder_.await(received_.back());
      for (std::size_t i = even.first; i < even.end; ++i, ++awaiting)
        builder_.await(before[static_cast<std::size_t>(*awaiting)]);
      added.push_back(builder_.add_awaiting(even.step));
      for (std::size_t i = even.first; i < even.end; ++i, ++touched)
        now[static_cast<std::size_t>(*touched)] = added.back();
    }
    return added;
  }

  const Rounds& rounds_;
  const Shape& shape_;
  std::size_t block_;  // bytes
  int rank_;
  std::size_t longest_copy_;
  AwaitingBuilder builder_;
  Address home_;                  // where blocks lie by distance
  std::vector<StepId> written_;   // by block, the step that wrote it last
  std::vector<StepId> read_;      // by block, the step that read it last
  std::vector<StepId> received_;  // the messages received in this round, or in the last with any
};

}  // namespace

Schedule compile(const Rounds& rounds, const Shape& shape, std::size_t block_bytes, int rank) {
  return DistanceCompiler(rounds, shape, block_bytes, rank).compile();
}

}  // namespace cuboid::detail
