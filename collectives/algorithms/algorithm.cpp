#include "collectives/algorithms/algorithm.hpp"

#include "collectives/algorithms/families.hpp"
#include "collectives/evaluation/segments.hpp"

#include <algorithm>
#include <iterator>

namespace cuboid::detail {

bool Algorithm::serves(Operation operation) const {
  return std::ranges::find(operations, operation) != operations.end();
}

std::span<const Algorithm> algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> table;
    for (auto* family : {bucket_algorithms, shape_algorithms, packed_algorithms,
                         tree_rounds_algorithms, dissemination_algorithms, bruck_algorithms,
                         doubling_algorithms, swing_algorithms, scatter_allgather_algorithms,
                         tree_algorithms, nested_algorithms, path_algorithms, prefix_algorithms}) {
      std::ranges::move(family(), std::back_inserter(table));
    }
    return table;
  }();
  return all;
}

std::vector<Settings> most_promising(std::vector<TriedSettings> tried) {
  constexpr std::size_t most = 8;
  std::ranges::stable_sort(tried, {}, &TriedSettings::seconds);
  std::vector<Settings> first;
  for (const TriedSettings& one : tried) {
    if (first.size() < most) first.push_back(one.settings);
  }
  return first;
}

std::vector<Settings> of_trees(const Call&) {
  return {Settings{}};
}

std::vector<Settings> of_rounds(const Call& call) {
  Settings settings;
  settings.pipelining = pipelining_in_rounds(call);
  return {settings};
}

Conditions in_pieces_of(const Algorithm& algorithm, const Call& call, Conditions conditions,
                        const Settings& settings) {
  if (algorithm.pieces == nullptr) return conditions;
  return in_pieces(conditions, algorithm.pieces(call, conditions, settings));
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto all = algorithms();
  const auto found = std::ranges::find(all, name, &Algorithm::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace cuboid::detail
