#include "tests/collectives/schedules/schedules.hpp"

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/schedules/slices.hpp"
#include "tests/collectives/by_asking.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

namespace {

// The one block of conditions as two slices, each with a tree of its own.
Forest two_colours(const Conditions& conditions, Flow flow, int root, std::size_t element_bytes) {
  const std::size_t elements = conditions.blocks.front().slice.bytes / element_bytes;
  const std::size_t first = elements / 3 * element_bytes;
  const std::size_t rest = elements * element_bytes - first;
  return {.ranks = conditions.ranks,
          .flow = flow,
          .trees = {{.block = 0,
                     .slice = {0, first},
                     .root = root,
                     .edges = chain(conditions.ranks, root),
                     .channel = 0},
                    {.block = 0,
                     .slice = {first, rest},
                     .root = root,
                     .edges = binomial_tree(conditions.ranks, root),
                     .channel = 1}}};
}

}  // namespace

std::vector<std::size_t> uneven_blocks(int ranks, std::size_t elements, std::size_t element_bytes) {
  std::vector<std::size_t> bytes;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    bytes.push_back(rank % 3 == 1 ? 0 : (elements + rank % 4) * element_bytes);
  }
  return bytes;
}

namespace {

Shape ring(int nodes) {
  return Shape({{nodes, true}});
}

// Groups of `ranks` ranks in all sorts of places: nobody knows where; on a ring; two or three to a
// node on a line, the last node fewer; two rows of a grid, of which one axis wraps; three rows of a
// torus.
std::vector<GroupNodes> groups_of(int ranks) {
  std::vector<GroupNodes> groups = {GroupNodes::apart(ranks)};
  if (ranks > 1) {
    groups.push_back(GroupNodes::apart(ranks));
    groups.back().shape = ring(ranks);
    GroupNodes crowded;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto node = static_cast<std::size_t>(rank * 2 / 5);
      if (node == crowded.ranks_of_node.size()) crowded.ranks_of_node.emplace_back();
      crowded.ranks_of_node[node].push_back(ranks - 1 - rank);
    }
    for (auto& on_node : crowded.ranks_of_node) std::ranges::sort(on_node);
    crowded.shape = Shape({{crowded.nodes(), false}});
    groups.push_back(crowded);
  }
  if (ranks > 3 && ranks % 2 == 0) {
    groups.push_back(GroupNodes::apart(ranks));
    groups.back().shape = Shape({{2, false}, {ranks / 2, true}});
  }
  if (ranks > 3 && ranks % 3 == 0) {
    groups.push_back(GroupNodes::apart(ranks));
    groups.back().shape = Shape({{3, true}, {ranks / 3, true}});
  }
  return groups;
}

Conditions conditions_of(Operation operation, int ranks, int root, std::size_t bytes,
                         std::span<const std::size_t> blocks) {
  switch (operation) {
    case Operation::broadcast: return Conditions::broadcast(ranks, bytes, root);
    case Operation::reduce: return Conditions::reduce(ranks, bytes, root);
    case Operation::allreduce: return Conditions::allreduce(ranks, bytes);
    case Operation::allgather: return Conditions::allgather(blocks);
    case Operation::reduce_scatter: return Conditions::reduce_scatter(blocks);
    case Operation::gather: return Conditions::gather(blocks, root);
    default: return Conditions::scatter(blocks, root);
  }
}

// The settings that an algorithm would choose for a short and for a long message; none where it
// cannot serve the group.
std::vector<Settings> settings_of(const Algorithm& algorithm, Operation operation, int root,
                                  std::size_t element_bytes, const GroupCostModel& cost_model) {
  std::vector<Settings> settings;
  for (const std::size_t count : {std::size_t{1}, std::size_t{1} << 22}) {
    Collective collective{.operation = operation,
                          .type = Datatype::user(element_bytes),
                          .count = count,
                          .root = root};
    const Call call{collective, cost_model};
    if (const auto choice = by_asking(call, algorithm)) settings.push_back(choice->settings);
  }
  return settings;
}

bool same(const std::variant<Forest, Rounds>& a, const std::variant<Forest, Rounds>& b) {
  const auto* first = std::get_if<Forest>(&a);
  const auto* second = std::get_if<Forest>(&b);
  if (first == nullptr && second == nullptr) {
    const auto& some = std::get<Rounds>(a);
    const auto& others = std::get<Rounds>(b);
    return some.packed == others.packed && some.rounds == others.rounds;
  }
  if (first == nullptr || second == nullptr) return false;
  return std::ranges::equal(first->trees, second->trees, [](const Tree& x, const Tree& y) {
    return x.slice == y.slice && x.root == y.root && x.edges == y.edges;
  });
}

// Everything that the algorithms of the table would make of an operation.
void add_algorithms(std::vector<NamedSchedule>& schedules, Operation operation, int ranks, int root,
                    std::size_t elements, std::size_t element_bytes) {
  const auto blocks = uneven_blocks(ranks, elements, element_bytes);
  const Conditions whole = conditions_of(operation, ranks, root, elements * element_bytes, blocks);
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.serves(operation) || algorithm.on_board) continue;  // no message: board_test
    struct Way {
      Conditions conditions;
      std::variant<Forest, Rounds> how;
    };
    std::vector<Way> ways;
    for (const GroupNodes& group : groups_of(ranks)) {
      const GroupCostModel cost_model{group, {30e-6, 1e-8}, {1e-6, 2e-10}};
      const Collective collective{.operation = operation,
                                  .type = Datatype::user(element_bytes),
                                  .count = elements,
                                  .root = root};
      for (const Settings& settings :
           settings_of(algorithm, operation, root, element_bytes, cost_model)) {
        const Call call{collective, cost_model};
        const Conditions conditions = in_pieces_of(algorithm, call, whole, settings);
        ForestOrRounds built = algorithm.build(call, conditions, settings);
        Way way{conditions, {}};
        if (auto* forest = std::get_if<Forest>(&built)) {
          way.how = std::move(*forest);
        } else {
          way.how = std::get<Rounds>(std::move(built));
        }
        const auto known = [&](const Way& other) {
          return way.conditions.blocks.size() == other.conditions.blocks.size() &&
                 same(way.how, other.how);
        };
        if (std::ranges::none_of(ways, known)) ways.push_back(std::move(way));
      }
    }
    for (Way& way : ways) {
      schedules.push_back({to_string(operation) + " by " + std::string(algorithm.name),
                           std::move(way.conditions), std::move(way.how),
                           algorithm.keeps_rank_order});
    }
  }
}

}  // namespace

std::vector<NamedSchedule> moving_schedules(int ranks, int root, std::size_t elements,
                                            std::size_t element_bytes) {
  const std::size_t bytes = elements * element_bytes;
  const auto blocks = uneven_blocks(ranks, elements, element_bytes);
  const Conditions broadcast = Conditions::broadcast(ranks, bytes, root);
  const Conditions gather = Conditions::gather(blocks, root);
  const Conditions scatter = Conditions::scatter(blocks, root);

  std::vector<NamedSchedule> schedules;
  for (const Operation operation :
       {Operation::broadcast, Operation::allgather, Operation::gather, Operation::scatter})
    add_algorithms(schedules, operation, ranks, root, elements, element_bytes);
  schedules.push_back(
      {"gather through a tree", gather, forest_from_tree(gather, Flow::multicast, binary_tree)});
  schedules.push_back(
      {"scatter through a tree", scatter, forest_from_tree(scatter, Flow::multicast, binary_tree)});
  schedules.push_back({"two-coloured broadcast", broadcast,
                       two_colours(broadcast, Flow::multicast, root, element_bytes)});
  return schedules;
}

std::vector<NamedSchedule> combining_schedules(int ranks, int root, std::size_t elements,
                                               std::size_t element_bytes) {
  const std::size_t bytes = elements * element_bytes;
  const Conditions reduce = Conditions::reduce(ranks, bytes, root);
  const Conditions allreduce = Conditions::allreduce(ranks, bytes);

  std::vector<NamedSchedule> schedules;
  for (const Operation operation :
       {Operation::reduce, Operation::allreduce, Operation::reduce_scatter})
    add_algorithms(schedules, operation, ranks, root, elements, element_bytes);
  schedules.push_back(
      {"two-coloured reduce", reduce, two_colours(reduce, Flow::combine, root, element_bytes)});
  schedules.push_back({"two-coloured allreduce", allreduce,
                       two_colours(allreduce, Flow::combine_then_multicast, root, element_bytes)});
  return schedules;
}

}  // namespace cuboid::detail
