#include "collectives/selection/plan_for_rank.hpp"

#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/slices.hpp"
#include "collectives/selection/conditions_of.hpp"
#include "collectives/types/finish.hpp"
#include "topology/shape/distances.hpp"

namespace cuboid::detail {

namespace {

constexpr Address input{Area::input, 0};
constexpr Address output{Area::output, 0};

std::vector<std::size_t> in_bytes(const std::vector<std::size_t>& counts,
                                  std::size_t element_bytes) {
  std::vector<std::size_t> bytes = counts;
  for (std::size_t& count : bytes) count *= element_bytes;
  return bytes;
}

// Conditions, and the addresses at which this rank keeps the blocks.
struct Task {
  Conditions conditions;
  Placing placing;
};

class TaskMaker {
 public:
  TaskMaker(const Collective& collective, int ranks, int rank)
      : collective_(collective), ranks_(ranks), rank_(rank), element_(collective.type.bytes()) {}

  Task make() const {
    const std::size_t bytes = collective_.count * element_;
    // In place, a rank's contribution lies where its result will.
    const Address own = collective_.in_place ? output : input;
    switch (collective_.operation) {
      case Operation::barrier: return {{ranks_, {}}, {}};
      case Operation::broadcast:
        return {Conditions::broadcast(ranks_, bytes, collective_.root), {{output}, {output}}};
      case Operation::reduce:
        if (rank_ != collective_.root)
          return {Conditions::reduce(ranks_, bytes, collective_.root), {{input}, {std::nullopt}}};
        return {Conditions::reduce(ranks_, bytes, collective_.root), {{own}, {output}}};
      case Operation::allreduce: return {Conditions::allreduce(ranks_, bytes), {{own}, {output}}};
      case Operation::scan: return {Conditions::allreduce(ranks_, bytes), {{own}, {output}}};
      case Operation::exscan:
        if (rank_ == 0) return {Conditions::allreduce(ranks_, bytes), {{own}, {std::nullopt}}};
        return {Conditions::allreduce(ranks_, bytes), {{own}, {output}}};
      case Operation::allgather: return allgather();
      case Operation::reduce_scatter: return reduce_scatter();
      case Operation::gather:
      case Operation::scatter:
      case Operation::alltoall: return exchanges();
    }
    return {};
  }

  // An all-to-all of equal blocks. Each block is numbered by the distance in a shape that it goes
  // or has come.
  Task by_distance(const Shape& shape) const {
    Task task{{ranks_, {}}, {}};
    std::size_t offset = 0;
    for (int distance = 0; distance < ranks_; ++distance) {
      const auto to = static_cast<std::size_t>(node_at(shape, rank_, distance));
      const auto from = static_cast<std::size_t>(node_before(shape, rank_, distance));
      const std::size_t bytes = collective_.input_blocks.counts[to] * element_;
      task.conditions.blocks.push_back({{offset, bytes}, std::nullopt, std::nullopt});
      task.placing.before.emplace_back(block_of(input, collective_.input_blocks, to));
      task.placing.after.emplace_back(block_of(output, collective_.output_blocks, from));
      offset += bytes;
    }
    return task;
  }

 private:
  Address block_of(Address buffer, const BlockList& blocks, std::size_t block) const {
    return buffer + blocks.displacements[block] * element_;
  }

  Task allgather() const {
    const BlockList& blocks = collective_.output_blocks;
    Task task{Conditions::allgather(in_bytes(blocks.counts, element_)), {}};
    for (std::size_t block = 0; block < blocks.counts.size(); ++block) {
      task.placing.before.emplace_back();
      task.placing.after.emplace_back(block_of(output, blocks, block));
    }
    const auto own = static_cast<std::size_t>(rank_);
    task.placing.before[own] = collective_.in_place ? block_of(output, blocks, own) : input;
    return task;
  }

  Task reduce_scatter() const {
    const BlockList& blocks = collective_.input_blocks;
    Task task{Conditions::reduce_scatter(in_bytes(blocks.counts, element_)), {}};
    for (std::size_t block = 0; block < blocks.counts.size(); ++block) {
      task.placing.before.emplace_back(block_of(input, blocks, block));
      task.placing.after.emplace_back();
    }
    const auto own = static_cast<std::size_t>(rank_);
    task.placing.after[own] = output;
    if (collective_.in_place) task.placing.before[own] = output;
    return task;
  }

  // Blocks that go straight from rank to rank: only the blocks that this rank sends or receives,
  // because it knows no others. Each rank takes the other ranks in a different order, so that they
  // do not all turn to the same rank at once.
  Task exchanges() const {
    Task task{{ranks_, {}}, {}};
    std::size_t offset = 0;
    const auto add = [&](std::size_t count, int from, int to, std::optional<Address> before,
                         std::optional<Address> after) {
      task.conditions.blocks.push_back({{offset, count * element_}, from, to});
      task.placing.before.push_back(before);
      task.placing.after.push_back(after);
      offset += count * element_;
    };
    const BlockList& sent = collective_.input_blocks;
    const BlockList& received = collective_.output_blocks;
    const bool everyone = collective_.operation == Operation::alltoall;
    const bool from_root = collective_.operation == Operation::scatter;
    const auto place_in = [&](const BlockList& blocks, Address buffer, int peer) {
      return blocks.counts.empty() ? buffer
                                   : block_of(buffer, blocks, static_cast<std::size_t>(peer));
    };
    const auto count_in = [&](const BlockList& blocks, int peer) {
      return blocks.counts.empty() ? collective_.count
                                   : blocks.counts[static_cast<std::size_t>(peer)];
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
    return task;
  }

  const Collective& collective_;
  int ranks_;
  int rank_;
  std::size_t element_;
};

Task in_pieces(const Task& task, std::span<const Piece> pieces) {
  Task cut_up{in_pieces(task.conditions, pieces), {}};
  const auto part = [](const std::optional<Address>& whole, const Piece& piece) {
    return whole ? std::optional(*whole + piece.slice.offset) : std::nullopt;
  };
  cut_up.placing.before.reserve(pieces.size());
  cut_up.placing.after.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    cut_up.placing.before.push_back(part(task.placing.before[piece.block], piece));
    cut_up.placing.after.push_back(part(task.placing.after[piece.block], piece));
  }
  return cut_up;
}

// Throws if the trees or rounds of all ranks do not fulfil the conditions.
void prove(const Call& call, const Task& task, const Choice& choice) {
  const ForestOrRounds how = choice.algorithm->build(call, task.conditions, choice.settings);
  if (const auto* forest = std::get_if<Forest>(&how)) return check(*forest, task.conditions);
  if (const auto* plan = std::get_if<BoardPlan>(&how)) {
    // In an all-to-all this rank knows only its own blocks.
    const Conditions conditions = in_pieces_of(
        *choice.algorithm, call, conditions_of(call, *choice.algorithm), choice.settings);
    return check(*plan, conditions, choice.settings.pipelining);
  }
  const auto& rounds = std::get<Rounds>(how);
  switch (call.operation()) {
    case Operation::barrier: return check_barrier(rounds);
    case Operation::alltoall: return check_alltoall(rounds, choice.algorithm->distances(call));
    case Operation::scan: return check_prefix(rounds, task.conditions, Prefix::inclusive);
    case Operation::exscan: return check_prefix(rounds, task.conditions, Prefix::exclusive);
    default: return check(rounds, task.conditions);
  }
}

Schedule make_program(const Call& call, const Task& task, int rank, const Choice& choice) {
  const RankPart part = choice.algorithm->part(call, task.conditions, choice.settings, rank);
  return std::visit(
      [&](const auto& mine) {
        return compile(mine, task.conditions, task.placing, rank, choice.settings.pipelining);
      },
      part);
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
  const TaskMaker maker(collective, call.ranks(), rank);
  const auto distances = choice.algorithm->distances;
  Task task = distances != nullptr ? maker.by_distance(distances(call)) : maker.make();
  if (choice.algorithm->pieces != nullptr)
    task = in_pieces(task, choice.algorithm->pieces(call, task.conditions, choice.settings));
  if (proof == Proof::of_all_ranks) prove(call, task, choice);
  PlannedCollective planned;
  planned.schedule = make_program(call, task, rank, choice);
  if (collective.reduction) planned.combine = collective.reduction->combine_for(collective.type);
  planned.element_bytes = collective.type.bytes();
  if (collective.reduction) finish(planned, collective, call.ranks(), rank);
  planned.operation = describe(collective);
  planned.algorithm = choice.algorithm->name;
  planned.in_place = collective.in_place;
  return planned;
}

}  // namespace cuboid::detail
