#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/layout/as_size.hpp"
#include "mm/redistribution/ownership.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace cuboid {

using namespace detail;

namespace {

/// The elements that stay on a rank if it has a place of the destination's grid.
class Stays {
 public:
  Stays(const AnyLayout& source, Op op, const Layout& destination)
      : source_(source, op),
        destination_(destination, Op::none),
        rows_(all_runs(source_.rows(), destination_.rows())),
        columns_(all_runs(source_.columns(), destination_.columns())) {}

  /// By rank, where anything stays.
  std::map<int, std::int64_t> at(GridPosition place) const {
    std::map<int, std::int64_t> elements;
    for (const int row : rows_.sources(place.row)) {
      for (const int column : columns_.sources(place.column)) {
        const std::int64_t shared =
            rows_.shared(row, place.row).extent() * columns_.shared(column, place.column).extent();
        source_.for_each_owner(row, column, [&](int rank) { elements[rank] += shared; });
      }
    }
    return elements;
  }

 private:
  static AxisRuns all_runs(const AxisDistribution& from, const AxisDistribution& to) {
    return {from, to, ClassSet(as_size(classes_of(from)), true), ClassSet(as_size(classes_of(to)))};
  }

  Ownership source_, destination_;
  AxisRuns rows_, columns_;
};

std::int64_t value_of(const std::map<int, std::int64_t>& elements, int rank) {
  const auto found = elements.find(rank);
  return found == elements.end() ? 0 : found->second;
}

/// The ranks of a grid, row by row.
std::vector<int> ranks_of(const GridShape& grid) {
  std::vector<int> ranks;
  for (int row = 0; row < grid.rows(); ++row) {
    for (int column = 0; column < grid.columns(); ++column)
      ranks.push_back(grid.rank({row, column}));
  }
  return ranks;
}

/// The largest shares first; a place that gets none keeps its rank, or takes one that is left.
std::vector<int> assign_greedily(const std::vector<std::map<int, std::int64_t>>& stays,
                                 const std::vector<int>& before) {
  struct Share {
    std::int64_t elements;
    std::size_t place;
    int rank;
  };
  std::vector<Share> shares;
  std::set<int> free(before.begin(), before.end());
  for (std::size_t place = 0; place < stays.size(); ++place) {
    for (const auto& [rank, elements] : stays[place]) {
      if (free.contains(rank)) shares.push_back({elements, place, rank});
    }
  }
  std::ranges::stable_sort(shares, std::greater(), &Share::elements);
  constexpr int none = -1;
  std::vector<int> ranks(before.size(), none);
  const auto give = [&](std::size_t place, int rank) {
    if (ranks[place] == none && free.erase(rank) > 0) ranks[place] = rank;
  };
  for (const Share& share : shares) give(share.place, share.rank);
  for (std::size_t place = 0; place < ranks.size(); ++place) give(place, before[place]);
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    if (ranks[place] == none) give(place, *free.begin());
  }
  return ranks;
}

/// Exchanges two ranks wherever more stays so; several times over, as one exchange allows others.
void exchange_pairs(const std::vector<std::map<int, std::int64_t>>& stays,
                    std::vector<int>& ranks) {
  constexpr int most_rounds = 4;
  bool better = true;
  for (int round = 0; better && round < most_rounds; ++round) {
    better = false;
    for (std::size_t one = 0; one < ranks.size(); ++one) {
      for (std::size_t other = one + 1; other < ranks.size(); ++other) {
        const std::int64_t now =
            value_of(stays[one], ranks[one]) + value_of(stays[other], ranks[other]);
        const std::int64_t then =
            value_of(stays[one], ranks[other]) + value_of(stays[other], ranks[one]);
        if (then <= now) continue;
        std::swap(ranks[one], ranks[other]);
        better = true;
      }
    }
  }
}

}  // namespace

Layout relabelled(const AnyLayout& source, Op op, const Layout& destination) {
  const Stays at(source, op, destination);
  const GridShape& grid = destination.grid();
  std::vector<std::map<int, std::int64_t>> stays;
  for (int row = 0; row < grid.rows(); ++row) {
    for (int column = 0; column < grid.columns(); ++column) stays.push_back(at.at({row, column}));
  }
  const std::vector<int> before = ranks_of(grid);
  std::vector<int> ranks = assign_greedily(stays, before);
  exchange_pairs(stays, ranks);
  const auto all = [&](const std::vector<int>& some) {
    std::int64_t elements = 0;
    for (std::size_t place = 0; place < some.size(); ++place)
      elements += value_of(stays[place], some[place]);
    return elements;
  };
  if (all(ranks) <= all(before)) return destination;
  return {destination.rows(), destination.columns(),
          GridShape(grid.rows(), grid.columns(), std::move(ranks))};
}

}  // namespace cuboid
