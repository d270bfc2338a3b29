#include "collectives/selection/plan_for_rank.hpp"

#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/direct_plan.hpp"
#include "collectives/schedules/pieces.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/types/finish.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

constexpr Address input{Area::input, 0};
constexpr Address output{Area::output, 0};

// Where one rank keeps the blocks of all ranks, or the one block of the call.
class PlacesOfRank : public BlockPlaces {
 public:
  PlacesOfRank(const Collective& collective, int rank)
      : collective_(collective),
        rank_(rank),
        input_is_even_(collective.input_blocks.is_even()),
        output_is_even_(collective.output_blocks.is_even()) {}

  std::optional<Address> before(std::size_t block) const override {
    switch (collective_.operation) {
      case Operation::broadcast: return output;
      case Operation::allgather:
        if (block != own()) return std::nullopt;
        return collective_.in_place ? result(block) : input;
      case Operation::reduce_scatter:
        // In place, a rank's contribution lies where its result will.
        return collective_.in_place && block == own() ? output : contribution(block);
      case Operation::reduce: return collective_.in_place && has_result() ? output : input;
      default: return collective_.in_place ? output : input;
    }
  }

  std::optional<Address> after(std::size_t block) const override {
    switch (collective_.operation) {
      case Operation::allgather: return result(block);
      case Operation::reduce_scatter: return block == own() ? std::optional(output) : std::nullopt;
      default: return has_result() ? std::optional(output) : std::nullopt;
    }
  }

  bool even_before(const BlockRow& row) const override {
    switch (collective_.operation) {
      case Operation::allgather: return !row.has(own());
      case Operation::reduce_scatter:
        return input_is_even_ && !(collective_.in_place && row.has(own()));
      default: return false;
    }
  }

  bool even_after(const BlockRow& row) const override {
    switch (collective_.operation) {
      case Operation::allgather: return output_is_even_;
      case Operation::reduce_scatter: return !row.has(own());
      default: return false;
    }
  }

 private:
  Address contribution(std::size_t block) const {
    return input + collective_.input_blocks.displacement(block) * collective_.type.bytes();
  }
  Address result(std::size_t block) const {
    return output + collective_.output_blocks.displacement(block) * collective_.type.bytes();
  }
  std::size_t own() const { return static_cast<std::size_t>(rank_); }
  bool has_result() const {
    if (collective_.operation == Operation::reduce) return rank_ == collective_.root;
    return collective_.operation != Operation::exscan || rank_ > 0;
  }

  const Collective& collective_;
  int rank_;
  bool input_is_even_;
  bool output_is_even_;
};

// Conditions, and the addresses at which this rank keeps the blocks.
struct Task {
  Conditions conditions;
  std::unique_ptr<const BlockPlaces> places;
};

class TaskMaker {
 public:
  TaskMaker(const Collective& collective, int ranks, int rank)
      : collective_(collective), ranks_(ranks), rank_(rank), element_(collective.type.bytes()) {}

  Task make() const {
    switch (collective_.operation) {
      case Operation::gather:
      case Operation::scatter:
      case Operation::alltoall: return exchanges();
      default: return {conditions(), std::make_unique<PlacesOfRank>(collective_, rank_)};
    }
  }

 private:
  Conditions conditions() const {
    const std::size_t bytes = collective_.count * element_;
    switch (collective_.operation) {
      case Operation::barrier: return {ranks_, {}};
      case Operation::broadcast: return Conditions::broadcast(ranks_, bytes, collective_.root);
      case Operation::reduce: return Conditions::reduce(ranks_, bytes, collective_.root);
      case Operation::allgather:
        return Conditions::allgather(collective_.output_blocks.counts(element_));
      case Operation::reduce_scatter:
        return Conditions::reduce_scatter(collective_.input_blocks.counts(element_));
      default: return Conditions::allreduce(ranks_, bytes);
    }
  }

  // Blocks that go straight from rank to rank: only the blocks that this rank sends or receives,
  // because it knows no others. Each rank takes the other ranks in a different order, so that they
  // do not all turn to the same rank at once.
  Task exchanges() const {
    Conditions conditions{ranks_, {}};
    Placing placing;
    std::size_t offset = 0;
    const auto add = [&](std::size_t count, int from, int to, std::optional<Address> before,
                         std::optional<Address> after) {
      conditions.blocks.push_back({{offset, count * element_}, from, to});
      placing.before.push_back(before);
      placing.after.push_back(after);
      offset += count * element_;
    };
    const BlockList& sent = collective_.input_blocks;
    const BlockList& received = collective_.output_blocks;
    const bool everyone = collective_.operation == Operation::alltoall;
    const bool from_root = collective_.operation == Operation::scatter;
    const auto place_in = [&](const BlockList& blocks, Address buffer, int peer) {
      if (blocks.empty()) return buffer;
      return buffer + blocks.displacement(static_cast<std::size_t>(peer)) * element_;
    };
    const auto count_in = [&](const BlockList& blocks, int peer) {
      return blocks.empty() ? collective_.count : blocks.count(static_cast<std::size_t>(peer));
    };
    for (int distance = 1; distance < ranks_; ++distance) {
      const int to = (rank_ + distance) % ranks_;
      const int from = (rank_ - distance + ranks_) % ranks_;
      if (everyone || (from_root ? rank_ : to) == collective_.root) {
        add(count_in(sent, to), rank_, to, place_in(sent, input, to), std::nullopt);
      }
      if (everyone || (from_root ? from : rank_) == collective_.root) {
        add(count_in(received, from), from, rank_, std::nullopt, place_in(received, output, from));
      }
    }
    const bool keeps_own = everyone || rank_ == collective_.root;
    if (keeps_own && !collective_.in_place) {
      add(count_in(sent, rank_), rank_, rank_, place_in(sent, input, rank_),
          place_in(received, output, rank_));
    }
    return {std::move(conditions), std::make_unique<ListedPlaces>(std::move(placing))};
  }

  const Collective& collective_;
  int ranks_;
  int rank_;
  std::size_t element_;
};

// Where this rank keeps each piece.
Placing placing_of(const Pieces& pieces, const BlockPlaces& places) {
  Placing placing;
  const auto part = [](const std::optional<Address>& whole, const Piece& piece) {
    return whole ? std::optional(*whole + piece.slice.offset) : std::nullopt;
  };
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    const Piece piece = pieces[number];
    placing.before.push_back(part(places.before(piece.block), piece));
    placing.after.push_back(part(places.after(piece.block), piece));
  }
  return placing;
}

// Throws if the trees or rounds of all ranks do not fulfil the conditions. An all-to-all by
// distances has none.
void prove(const Call& call, const Conditions& task, const Choice& choice) {
  const ForestOrRounds how = choice.algorithm->build(call, task, choice.settings);
  if (const auto* forest = std::get_if<Forest>(&how)) return check(*forest, task);
  const auto in_pieces = [&](const Conditions& whole) {
    return in_pieces_of(*choice.algorithm, call, whole, choice.settings);
  };
  if (const auto* plan = std::get_if<BoardPlan>(&how)) {
    // In an all-to-all this rank knows only its own blocks.
    return check(*plan, in_pieces(conditions_of(call, *choice.algorithm)),
                 choice.settings.pipelining);
  }
  const auto& rounds = std::get<Rounds>(how);
  switch (call.operation()) {
    case Operation::barrier: return check_barrier(rounds);
    case Operation::alltoall: return check_alltoall(rounds, choice.algorithm->distances(call));
    case Operation::scan: return check_prefix(rounds, in_pieces(task), Prefix::inclusive);
    case Operation::exscan: return check_prefix(rounds, in_pieces(task), Prefix::exclusive);
    default: return check(rounds, in_pieces(task));
  }
}

// Equal blocks that an all-to-all numbers by their distances lie one after another.
Schedule make_program_by_distance(const Call& call, int rank, const Choice& choice) {
  const RankPart part = choice.algorithm->part(call, {call.ranks(), {}}, choice.settings, rank);
  const std::size_t block = call.collective.input_blocks.count(0) * call.element_bytes();
  Schedule schedule =
      compile(std::get<Rounds>(part), choice.algorithm->distances(call), block, rank);
  schedule.sends_at_a_time = choice.settings.pipelining.sends_at_a_time;
  return schedule;
}

Schedule make_program(const Call& call, const Task& task, int rank, const Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  const Pipelining& pipelining = choice.settings.pipelining;
  const RankPart part = algorithm.part(call, task.conditions, choice.settings, rank);
  const Pieces pieces = algorithm.pieces != nullptr
                            ? algorithm.pieces(call, task.conditions, choice.settings)
                            : Pieces(task.conditions);
  if (const auto* rounds = std::get_if<Rounds>(&part))
    return compile(*rounds, pieces, *task.places, rank, pipelining);
  const Conditions conditions = in_pieces(task.conditions, pieces);
  const Placing placing = placing_of(pieces, *task.places);
  if (const auto* forest = std::get_if<ForestPart>(&part))
    return compile(*forest, conditions, placing, rank, pipelining);
  return compile(std::get<BoardPlan>(part), conditions, placing, rank, pipelining);
}

// Plans the work on this rank's result that follows the last step.
void finish(PlannedCollective& planned, const Collective& collective, int ranks, int rank) {
  const bool has_it = collective.operation != Operation::reduce || rank == collective.root;
  planned.finish = finish_for(*collective.reduction, collective.type, ranks);
  if (!planned.finish || !has_it) return;
  planned.schedule =
      followed_by(planned.schedule, {.kind = Step::Kind::finish,
                                     .bytes = collective.count * collective.type.bytes(),
                                     .source = output,
                                     .destination = output});
}

}  // namespace

PlannedCollective plan_for_rank(const Collective& collective, const GroupCostModel& cost_model,
                                int rank, const Choice& choice, Proof proof) {
  const Call call{collective, cost_model};
  PlannedCollective planned;
  if (choice.algorithm->distances != nullptr) {
    if (proof == Proof::of_all_ranks) prove(call, {call.ranks(), {}}, choice);
    planned.schedule = make_program_by_distance(call, rank, choice);
  } else {
    const Task task = TaskMaker(collective, call.ranks(), rank).make();
    if (proof == Proof::of_all_ranks) prove(call, task.conditions, choice);
    planned.schedule = make_program(call, task, rank, choice);
  }
  if (collective.reduction) planned.combine = collective.reduction->combine_for(collective.type);
  planned.element_bytes = collective.type.bytes();
  if (collective.reduction) finish(planned, collective, call.ranks(), rank);
  if (call.ranks() == 1 || cost_model.shares_memory)
    planned.direct = direct_plan(collective, call.ranks(), rank);
  planned.operation = describe(collective);
  planned.algorithm = choice.algorithm->name;
  planned.in_place = collective.in_place;
  return planned;
}

}  // namespace cuboid::detail
