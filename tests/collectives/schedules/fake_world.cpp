#include "tests/collectives/schedules/fake_world.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::byte spoilt{0xEE};

std::string describe(int rank, StepId id, const Step& step) {
  constexpr const char* kinds[] = {"send", "receive", "combine", "copy"};
  return fmt::format("rank {}: step {} ({} of {} bytes, peer {}, channel {}, segment {})", rank, id,
                     kinds[static_cast<std::size_t>(step.kind)], step.bytes, step.peer,
                     step.channel, step.segment);
}

}  // namespace

std::span<std::byte> FakeWorld::Rank::at(const Address& address, std::size_t bytes) const {
  const std::span<const std::byte> buffer = address.area == Area::input    ? memory.input
                                            : address.area == Area::output ? memory.output
                                                                           : std::span(scratch);
  if (address.offset > buffer.size() || bytes > buffer.size() - address.offset) {
    throw std::out_of_range(fmt::format("{} bytes from {} of a buffer of {} (area {})", bytes,
                                        address.offset, buffer.size(),
                                        static_cast<int>(address.area)));
  }
  return {const_cast<std::byte*>(buffer.data()) + address.offset, bytes};
}

FakeWorld::FakeWorld(std::vector<Schedule> schedules, std::vector<RankMemory> memory,
                     CombineFunction combine, std::size_t element_bytes)
    : combine_(std::move(combine)), element_bytes_(element_bytes) {
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    std::vector<std::byte> scratch(schedules[rank].scratch_bytes);
    ranks_.push_back({std::move(schedules[rank]), memory[rank], std::move(scratch)});
  }
}

/// One run of a world's schedules.
class FakeRun {
 public:
  FakeRun(FakeWorld& world, Sending sending, std::uint64_t seed)
      : world_(world), sending_(sending), random_(seed), left_(world.ranks_.size()) {
    for (std::size_t rank = 0; rank < world.ranks_.size(); ++rank) {
      dependencies_.push_back(world.ranks_[rank].schedule.dependencies);
      left_[rank] = world.ranks_[rank].schedule.steps.size();
      for (StepId step = 0; step < dependencies_[rank].size(); ++step) {
        if (dependencies_[rank][step] == 0) possible_.push_back({Event::start, {rank, step}, {}});
      }
    }
  }

  std::string outcome() {
    try {
      while (!possible_.empty()) happen(take_any());
    } catch (const std::exception& problem) {
      return problem.what();
    }
    return leftovers();
  }

 private:
  struct Where {
    std::size_t rank;
    StepId step;
  };
  struct Event {
    enum Kind { start, leave, deliver } kind;
    Where where;  // of a delivery: the receive
    std::size_t message;
  };
  struct Message {
    Where sender;
    std::optional<std::vector<std::byte>> data = {};  // once it was read from its source
  };
  struct Lane {  // of one sender, receiver, channel and segment
    std::deque<std::size_t> messages;
    std::deque<Where> receives;
  };

  const Step& step_at(Where where) const {
    return world_.ranks_[where.rank].schedule.steps[where.step];
  }
  std::string name(Where where) const {
    return describe(static_cast<int>(where.rank), where.step, step_at(where));
  }

  Event take_any() {
    std::uniform_int_distribution<std::size_t> any(0, possible_.size() - 1);
    std::swap(possible_[any(random_)], possible_.back());
    const Event event = possible_.back();
    possible_.pop_back();
    return event;
  }

  void happen(const Event& event) {
    try {
      switch (event.kind) {
        case Event::start: return start(event.where);
        case Event::leave: return read(event.message);
        case Event::deliver: return deliver(event.where, event.message);
      }
    } catch (const std::out_of_range& problem) {
      throw std::logic_error(name(event.where) + ": " + problem.what());
    }
  }

  void start(Where where) {
    const Step& step = step_at(where);
    const FakeWorld::Rank& rank = world_.ranks_[where.rank];
    const auto self = static_cast<int>(where.rank);
    switch (step.kind) {
      case Step::Kind::send: {
        messages_.push_back({where});
        const std::size_t message = messages_.size() - 1;
        if (sending_ == Sending::at_once) read(message);
        if (sending_ == Sending::some_time_later)
          possible_.push_back({Event::leave, where, message});
        Lane& lane = lane_of(self, step.peer, step);
        lane.messages.push_back(message);
        return match(lane);
      }
      case Step::Kind::receive: {
        std::ranges::fill(rank.at(step.destination, step.bytes), spoilt);
        Lane& lane = lane_of(step.peer, self, step);
        lane.receives.push_back(where);
        return match(lane);
      }
      case Step::Kind::combine:
        if (step.bytes % world_.element_bytes_ != 0)
          throw std::logic_error(name(where) + ": cuts an element in two");
        rank.schedule.for_each_piece(step, [&](const Step& piece) {
          world_.combine_(
              rank.at(piece.source, piece.bytes).data(), rank.at(piece.right, piece.bytes).data(),
              rank.at(piece.destination, piece.bytes).data(), piece.bytes / world_.element_bytes_);
        });
        return complete(where);
      case Step::Kind::copy:
        rank.schedule.for_each_piece(step, [&](const Step& piece) {
          const auto source = rank.at(piece.source, piece.bytes);
          const std::vector<std::byte> data(source.begin(), source.end());
          std::ranges::copy(data, rank.at(piece.destination, piece.bytes).begin());
        });
        return complete(where);
      case Step::Kind::finish: return complete(where);
      case Step::Kind::claim:
      case Step::Kind::publish:
      case Step::Kind::await:
      case Step::Kind::acknowledge:
        throw std::logic_error(name(where) + ": a board, where there are messages only");
    }
  }

  Lane& lane_of(int from, int to, const Step& step) {
    return lanes_[(static_cast<std::uint64_t>(from) << 48) |
                  (static_cast<std::uint64_t>(to) << 32) | (std::uint64_t{step.channel} << 16) |
                  step.segment];
  }

  void match(Lane& lane) {
    if (lane.messages.empty() || lane.receives.empty()) return;
    const std::size_t message = lane.messages.front();
    const Where receive = lane.receives.front();
    lane.messages.pop_front();
    lane.receives.pop_front();
    if (step_at(messages_[message].sender).bytes != step_at(receive).bytes) {
      throw std::logic_error(name(messages_[message].sender) + " meets " + name(receive));
    }
    possible_.push_back({Event::deliver, receive, message});
  }

  // The network reads the source and gives it back to the sender.
  void read(std::size_t message) {
    const Where sender = messages_[message].sender;
    if (messages_[message].data) return;
    const auto source =
        world_.ranks_[sender.rank].at(step_at(sender).source, step_at(sender).bytes);
    messages_[message].data.emplace(source.begin(), source.end());
    complete(sender);
  }

  void deliver(Where receive, std::size_t message) {
    read(message);
    const Step& step = step_at(receive);
    std::ranges::copy(*messages_[message].data,
                      world_.ranks_[receive.rank].at(step.destination, step.bytes).begin());
    complete(receive);
  }

  void complete(Where where) {
    --left_[where.rank];
    const Schedule& schedule = world_.ranks_[where.rank].schedule;
    for (auto i = schedule.first_successor[where.step];
         i < schedule.first_successor[where.step + 1]; ++i) {
      const StepId successor = schedule.successors[i];
      if (--dependencies_[where.rank][successor] == 0)
        possible_.push_back({Event::start, {where.rank, successor}, {}});
    }
  }

  std::string leftovers() const {
    for (const auto& [key, lane] : lanes_) {
      if (!lane.messages.empty())
        return name(messages_[lane.messages.front()].sender) + " finds no receive";
      if (!lane.receives.empty()) return name(lane.receives.front()) + " waits for ever";
    }
    for (std::size_t rank = 0; rank < left_.size(); ++rank) {
      if (left_[rank] > 0) return fmt::format("rank {}: {} steps never start", rank, left_[rank]);
    }
    return "";
  }

  FakeWorld& world_;
  Sending sending_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::uint32_t>> dependencies_;
  std::vector<std::size_t> left_;
  std::vector<Event> possible_;
  std::vector<Message> messages_;
  std::unordered_map<std::uint64_t, Lane> lanes_;
};

std::string FakeWorld::run(Sending sending, std::uint64_t seed) {
  return FakeRun(*this, sending, seed).outcome();
}

namespace {

struct Access {
  const std::byte* begin;
  const std::byte* end;
  bool writes;
};

bool conflict(const Access& a, const Access& b) {
  return (a.writes || b.writes) && std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

// A bit per step of a schedule.
class StepSet {
 public:
  explicit StepSet(std::size_t steps) : words_((steps + bits - 1) / bits, 0) {}

  void add(StepId step) { words_[step / bits] |= std::uint64_t{1} << step % bits; }
  bool has(StepId step) const { return (words_[step / bits] >> step % bits & 1) != 0; }
  void add_all(const StepSet& others) {
    for (std::size_t word = 0; word < words_.size(); ++word) words_[word] |= others.words_[word];
  }

 private:
  static constexpr std::size_t bits = 64;
  std::vector<std::uint64_t> words_;
};

// For every step, which steps are complete before it starts.
std::vector<StepSet> earlier_steps(const Schedule& schedule) {
  const std::size_t steps = schedule.steps.size();
  std::vector<StepSet> earlier(steps, StepSet(steps));
  // A step's number is above the numbers of all steps that it waits for: when the loop comes to a
  // step, the set of that step is whole.
  for (StepId step = 0; step < steps; ++step) {
    for (auto i = schedule.first_successor[step]; i < schedule.first_successor[step + 1]; ++i) {
      StepSet& of_successor = earlier[schedule.successors[i]];
      of_successor.add_all(earlier[step]);
      of_successor.add(step);
    }
  }
  return earlier;
}

}  // namespace

std::string FakeWorld::find_race() const {
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const Rank& rank = ranks_[number];
    const std::size_t steps = rank.schedule.steps.size();
    std::vector<std::vector<Access>> accesses(steps);
    const auto copies_onto_itself = [&](const Step& step) {
      return step.kind == Step::Kind::copy && rank.at(step.source, step.bytes).data() ==
                                                  rank.at(step.destination, step.bytes).data();
    };
    const auto touch_all = [&](StepId id, const Step& piece) {
      if (copies_onto_itself(piece)) return;
      const auto touch = [&](const Address& address, bool writes) {
        const auto memory = rank.at(address, piece.bytes);
        accesses[id].push_back({memory.data(), memory.data() + memory.size(), writes});
      };
      if (piece.kind != Step::Kind::receive) touch(piece.source, false);
      if (piece.kind == Step::Kind::combine) touch(piece.right, false);
      if (piece.kind != Step::Kind::send) touch(piece.destination, true);
    };
    for (StepId id = 0; id < steps; ++id)
      rank.schedule.for_each_piece(rank.schedule.steps[id],
                                   [&](const Step& piece) { touch_all(id, piece); });
    const auto earlier = earlier_steps(rank.schedule);
    for (StepId later = 0; later < steps; ++later) {
      for (StepId before = 0; before < later; ++before) {
        if (earlier[later].has(before)) continue;
        for (const Access& a : accesses[before]) {
          for (const Access& b : accesses[later]) {
            if (!conflict(a, b)) continue;
            const int self = static_cast<int>(number);
            return describe(self, before, rank.schedule.steps[before]) + " races with " +
                   describe(self, later, rank.schedule.steps[later]);
          }
        }
      }
    }
  }
  return "";
}

}  // namespace cuboid::detail
