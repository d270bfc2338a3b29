#include <cuboid/error.hpp>
#include <cuboid/irregular_layout.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

namespace {

[[noreturn]] void refuse_cuts(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, "irregular layout: " + message);
}

std::vector<std::int64_t> require_cuts(const char* what, std::vector<std::int64_t> cuts) {
  const bool good = !cuts.empty() && cuts.front() == 0 && std::ranges::is_sorted(cuts);
  if (!good) {
    refuse_cuts(fmt::format("cuts of {} from {} on: give them ascending from 0", what,
                            cuts.empty() ? -1 : cuts.front()));
  }
  return cuts;
}

}  // namespace

IrregularLayout::IrregularLayout(std::vector<std::int64_t> row_cuts,
                                 std::vector<std::int64_t> column_cuts)
    : row_cuts_(require_cuts("rows", std::move(row_cuts))),
      column_cuts_(require_cuts("columns", std::move(column_cuts))) {}

template <class Visit>
void IrregularLayout::for_each_place(const Visit& visit) const {
  for (int row = 0; row < row_blocks(); ++row) {
    for (int column = 0; column < column_blocks(); ++column) visit(Place{row, column});
  }
}

void IrregularLayout::add_owners(Place place, std::span<const int> owners) {
  if (owners.empty() || std::ranges::min(owners) < 0) {
    refuse_cuts(fmt::format("block ({}, {}) is stored by rank {}: give one from 0 on", place.row,
                            place.column, owners.empty() ? -1 : std::ranges::min(owners)));
  }
  std::vector<int> ascending(owners.begin(), owners.end());
  std::ranges::sort(ascending);
  if (const auto twice = std::ranges::adjacent_find(ascending); twice != ascending.end()) {
    refuse_cuts(fmt::format("rank {} stores block ({}, {}) twice: list it once", *twice, place.row,
                            place.column));
  }
  first_owner_.push_back(owners_.size());
  owners_.insert(owners_.end(), owners.begin(), owners.end());
  last_rank_ = std::max(last_rank_, std::ranges::max(owners));
}

IrregularLayout::IrregularLayout(std::vector<std::int64_t> row_cuts,
                                 std::vector<std::int64_t> column_cuts,
                                 const std::function<int(Place)>& owner)
    : IrregularLayout(std::move(row_cuts), std::move(column_cuts)) {
  for_each_place([&](Place place) {
    const int rank = owner(place);
    add_owners(place, std::span(&rank, 1));
  });
  first_owner_.push_back(owners_.size());
}

IrregularLayout::IrregularLayout(std::vector<std::int64_t> row_cuts,
                                 std::vector<std::int64_t> column_cuts,
                                 const std::function<std::vector<int>(Place)>& owners)
    : IrregularLayout(std::move(row_cuts), std::move(column_cuts)) {
  for_each_place([&](Place place) { add_owners(place, owners(place)); });
  first_owner_.push_back(owners_.size());
}

IrregularLayout IrregularLayout::replicated(std::int64_t m, std::int64_t n,
                                            std::span<const int> ranks) {
  const std::vector<int> all(ranks.begin(), ranks.end());
  return {{0, m}, {0, n}, std::function<std::vector<int>(Place)>([&](Place) { return all; })};
}

BlockRange IrregularLayout::block(Place place) const {
  const auto row = static_cast<std::size_t>(place.row);
  const auto column = static_cast<std::size_t>(place.column);
  return {{Global<Row>(row_cuts_[row]), Global<Row>(row_cuts_[row + 1])},
          {Global<Column>(column_cuts_[column]), Global<Column>(column_cuts_[column + 1])}};
}

std::span<const int> IrregularLayout::owners(Place place) const {
  const auto block =
      static_cast<std::size_t>(place.row) * static_cast<std::size_t>(column_blocks()) +
      static_cast<std::size_t>(place.column);
  return std::span(owners_).subspan(first_owner_[block],
                                    first_owner_[block + 1] - first_owner_[block]);
}

std::vector<IrregularLayout::Place> IrregularLayout::blocks_of(int rank) const {
  std::vector<Place> places;
  for_each_place([&](Place place) {
    if (std::ranges::find(owners(place), rank) != owners(place).end()) places.push_back(place);
  });
  return places;
}

}  // namespace cuboid
