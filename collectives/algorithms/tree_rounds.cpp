#include "collectives/rounds/tree_rounds.hpp"

#include "collectives/algorithms/families.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace cuboid::detail {

namespace {

// The radix of a tree of depth 1: all ranks send to one and back. If ranks share cores, each is
// waited for only once.
int central_radix(const Call& call) {
  return std::max(call.ranks(), 2);
}

constexpr std::array tree_radices = {2, 3, 4, 6, 8};

std::vector<Settings> settings_of_tree(const Call& call) {
  std::vector<Settings> all;
  for (const int radix : tree_radices) {
    all.push_back(of_rounds(call).front());
    all.back().radix = radix;
  }
  return all;
}

Rounds rounds_of_tree(const Call& call, int radix, std::optional<int> only) {
  switch (call.operation()) {
    case Operation::barrier: return tree_barrier(call.ranks(), radix, only);
    case Operation::reduce_scatter: return tree_reduce_scatter(call.ranks(), radix, only);
    default: return tree_allgather(call.ranks(), radix, only);
  }
}

}  // namespace

std::vector<Algorithm> tree_rounds_algorithms() {
  return {
      {"central",
       "all ranks to rank 0 and back",
       {Operation::barrier},
       false,
       [](const Call& call) {
         return call.on_one_node() ? of_rounds(call) : std::vector<Settings>{};
       },
       [](const Call& call, const Conditions&, const Settings&) -> ForestOrRounds {
         return rounds_of_tree(call, central_radix(call), {});
       },
       [](const Call& call, const Conditions&, const Settings&, int rank) -> RankPart {
         return rounds_of_tree(call, central_radix(call), rank);
       }},
      {"tree",
       "all ranks to rank 0 and back along a k-nomial tree; the model chooses k",
       {Operation::barrier, Operation::allgather, Operation::reduce_scatter},
       true,
       settings_of_tree,
       [](const Call& call, const Conditions&, const Settings& settings) -> ForestOrRounds {
         return rounds_of_tree(call, settings.radix, {});
       },
       [](const Call& call, const Conditions&, const Settings& settings, int rank) -> RankPart {
         return rounds_of_tree(call, settings.radix, rank);
       }},
  };
}

}  // namespace cuboid::detail
