#include <cuboid/collectives/checker.hpp>
#include <cuboid/collectives/compile.hpp>
#include <cuboid/collectives/forests/forests.hpp>
#include <cuboid/collectives/forests/rectangular.hpp>
#include <cuboid/collectives/recipe.hpp>
#include <cuboid/collectives/rounds/dissemination.hpp>
#include <cuboid/collectives/rounds/recursive_doubling.hpp>

namespace cuboid {

namespace {

constexpr Address input{Area::input, 0};
constexpr Address output{Area::output, 0};

std::vector<std::size_t> in_bytes(const std::vector<std::size_t>& counts,
                                  std::size_t element_bytes) {
  std::vector<std::size_t> bytes = counts;
  for (std::size_t& count : bytes) count *= element_bytes;
  return bytes;
}

// A contract together with where this rank keeps the blocks.
struct Task {
  Contract contract;
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
        return {Contract::broadcast(ranks_, bytes, collective_.root), {{output}, {output}}};
      case Operation::reduce:
        if (rank_ != collective_.root)
          return {Contract::reduce(ranks_, bytes, collective_.root), {{input}, {std::nullopt}}};
        return {Contract::reduce(ranks_, bytes, collective_.root), {{own}, {output}}};
      case Operation::allreduce: return {Contract::allreduce(ranks_, bytes), {{own}, {output}}};
      case Operation::allgather: return allgather();
      case Operation::reduce_scatter: return reduce_scatter();
      case Operation::gather:
      case Operation::scatter:
      case Operation::alltoall: return exchanges();
    }
    return {};
  }

 private:
  Address block_of(Address buffer, const BlockList& blocks, std::size_t block) const {
    return buffer + blocks.displacements[block] * element_;
  }

  Task allgather() const {
    const BlockList& blocks = collective_.output_blocks;
    Task task{Contract::allgather(in_bytes(blocks.counts, element_)), {}};
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
    Task task{Contract::reduce_scatter(in_bytes(blocks.counts, element_)), {}};
    for (std::size_t block = 0; block < blocks.counts.size(); ++block) {
      task.placing.before.emplace_back(block_of(input, blocks, block));
      task.placing.after.emplace_back();
    }
    task.placing.after[static_cast<std::size_t>(rank_)] = output;
    return task;
  }

  // Blocks that go straight from rank to rank: only those that this rank sends or receives, which
  // is all it knows of. Ranks are taken in a different order by each rank, so that they do not all
  // turn to the same one at once.
  Task exchanges() const {
    Task task{{ranks_, {}}, {}};
    std::size_t offset = 0;
    const auto add = [&](std::size_t count, int from, int to, std::optional<Address> before,
                         std::optional<Address> after) {
      task.contract.blocks.push_back({{offset, count * element_}, from, to});
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

Flow flow_of(Operation operation) {
  switch (operation) {
    case Operation::reduce:
    case Operation::reduce_scatter: return Flow::combine;
    case Operation::allreduce: return Flow::combine_then_multicast;
    default: return Flow::multicast;
  }
}

// A chain that combines towards its root comes in from the far side, so that a block's neighbours
// are busy one after the other round the ring.
Forest make_forest(const Collective& collective, const Contract& contract, Algorithm algorithm,
                   const std::optional<GroupShape>& shape) {
  const Flow flow = flow_of(collective.operation);
  if (algorithm == Algorithm::direct) return direct_paths(contract);
  if (algorithm == Algorithm::rectangular) {
    return rectangular_forest(contract, flow, shape.value(), collective.type.bytes());
  }
  if (algorithm == Algorithm::ring && collective.operation == Operation::allreduce) {
    return ring_allreduce(contract, collective.type.bytes());
  }
  if (algorithm == Algorithm::binomial) return plant(contract, flow, binomial_tree);
  if (algorithm == Algorithm::in_order_tree) return plant(contract, flow, in_order_tree);
  return plant(contract, flow, chain);
}

bool is_rounds(Algorithm algorithm) {
  return algorithm == Algorithm::recursive_doubling || algorithm == Algorithm::dissemination;
}

Program make_program(const Collective& collective, const Task& task, int ranks, int rank,
                     const Choice& choice, const std::optional<GroupShape>& shape) {
  if (!is_rounds(choice.algorithm)) {
    const Forest forest = make_forest(collective, task.contract, choice.algorithm, shape);
    check(forest, task.contract);
    return compile(forest, task.contract, task.placing, rank, choice.pipelining);
  }
  const bool barrier = collective.operation == Operation::barrier;
  const Rounds rounds = barrier ? dissemination_barrier(ranks)
                        : choice.algorithm == Algorithm::dissemination
                            ? dissemination_allgather(ranks)
                            : recursive_doubling_allreduce(ranks);
  if (barrier) {
    check_barrier(rounds);
  } else {
    check(rounds, task.contract);
  }
  return compile(rounds, task.contract, task.placing, rank);
}

}  // namespace

Recipe make_recipe(const Collective& collective, int ranks, int rank, const Choice& choice,
                   const std::optional<GroupShape>& shape) {
  const Task task = TaskMaker(collective, ranks, rank).make();
  Recipe recipe;
  recipe.program = make_program(collective, task, ranks, rank, choice, shape);
  if (collective.reduction) recipe.combine = collective.reduction->combine_for(collective.type);
  recipe.element_bytes = collective.type.bytes();
  recipe.operation = describe(collective);
  recipe.algorithm = to_string(choice.algorithm);
  return recipe;
}

}  // namespace cuboid
