#include "mm/lu/interchange.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace cuboid::detail {

namespace {

/// A permutation, stored as its difference from the identity.
class Permutation {
 public:
  std::int64_t operator()(std::int64_t index) const {
    const auto found = images_.find(index);
    return found == images_.end() ? index : found->second;
  }
  void set(std::int64_t index, std::int64_t image) { images_[index] = image; }
  const std::map<std::int64_t, std::int64_t>& images() const { return images_; }

 private:
  std::map<std::int64_t, std::int64_t> images_;
};

}  // namespace

Interchange::Interchange(std::int64_t begin, std::span<const std::int64_t> pivot_rows) {
  Permutation row_at, place_of;
  std::int64_t place = begin;
  for (const std::int64_t row : pivot_rows) {
    const std::int64_t other = place_of(row), displaced = row_at(place);
    swaps_.push_back(other);
    row_at.set(other, displaced);
    place_of.set(displaced, other);
    row_at.set(place, row);
    place_of.set(row, place);
    ++place;
  }
  for (const auto& [to, from] : row_at.images()) moves_.push_back({from, to});
}

std::vector<std::int64_t> sources_of(std::span<const std::int64_t> swaps, std::int64_t rows) {
  std::vector<std::int64_t> sources(static_cast<std::size_t>(rows));
  std::iota(sources.begin(), sources.end(), 0);
  for (std::size_t k = 0; k < swaps.size(); ++k) {
    std::swap(sources[k], sources[static_cast<std::size_t>(swaps[k])]);
  }
  return sources;
}

std::vector<RowMove> moves_of(std::span<const std::int64_t> swaps, std::int64_t rows, bool undone) {
  std::vector<RowMove> moves;
  std::int64_t place = 0;
  for (const std::int64_t source : sources_of(swaps, rows)) {
    if (source != place) moves.push_back(undone ? RowMove{place, source} : RowMove{source, place});
    ++place;
  }
  return moves;
}

}  // namespace cuboid::detail
