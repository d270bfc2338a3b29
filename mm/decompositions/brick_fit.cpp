#include "mm/decompositions/brick_fit.hpp"

#include "mm/decompositions/cosma_decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cuboid::detail {

namespace {

/// The panel width from which the local gemm gets no faster (measured with BLIS on AVX-512), and
/// the largest number of rounds that overlap needs. With more rounds, the first round, which
/// overlaps with nothing, hardly shrinks.
constexpr std::int64_t wide_enough = 256;
constexpr std::int64_t rounds_for_overlap = 8;

/// The most tiles along an axis. With this number of tiles, a tile of C and the contributions that
/// arrive for it are small beside the rank's shares of the matrices.
constexpr int most_tiles = 16;

double ceiling(std::int64_t extent, int parts) {
  return static_cast<double>(extent / parts + (extent % parts != 0 ? 1 : 0));
}

int most_tiles_along(double extent) {
  return static_cast<int>(std::clamp(extent, 1.0, double{most_tiles}));
}

}  // namespace

LargestBrick::LargestBrick(const ProductSize& size, const BrickParts& parts)
    : parts_(parts),
      rows_(ceiling(size.m, parts[0])),
      columns_(ceiling(size.n, parts[1])),
      inner_(ceiling(size.k, parts[2])) {}

template <class Rounded>
std::array<double, 3> LargestBrick::face_words(const Rounded& rounded) const {
  const auto [row_parts, column_parts, layers] = parts_;
  const auto lacking = [&](double lines, double length, int shares) {
    return lines * length -
           std::max(length * rounded(lines / shares), lines * rounded(length / shares));
  };
  return {lacking(inner_, rows_, column_parts), lacking(columns_, inner_, row_parts),
          lacking(columns_, rows_, layers)};
}

std::array<double, 3> LargestBrick::most_words() const {
  return face_words([](double share) { return std::floor(share); });
}

double LargestBrick::least_words(const BrickSteps& steps) const {
  const auto of = face_words([](double share) { return std::ceil(share); });
  const int layers = parts_[2];
  return of[0] * steps.column_tiles + of[1] * steps.row_tiles +
         rows_ * columns_ * (layers - 1) / layers;
}

double LargestBrick::memory(const BrickSteps& steps) const {
  const auto [row_parts, column_parts, layers] = parts_;
  const double shares =
      rows_ * inner_ / column_parts + inner_ * columns_ / row_parts + rows_ * columns_ / layers;
  const double copies = steps.count() > 1 ? 2 : 1;
  const double width = std::ceil(inner_ / steps.rounds);
  const double rows = std::ceil(rows_ / steps.row_tiles);
  const double columns = std::ceil(columns_ / steps.column_tiles);
  double on_the_way = 0;
  if (column_parts > 1) on_the_way += copies * rows * width;
  // B's panel consists of A's shares in one direction and of C's shares in the other. It is used in
  // place only if these are one range.
  const bool in_pieces =
      (column_parts > 1 && steps.rounds > 1) || (layers > 1 && steps.column_tiles > 1);
  if (row_parts > 1 || in_pieces) on_the_way += copies * width * columns;
  // The tile of C, and the contributions that arrive for the rank's part of it.
  if (layers > 1) on_the_way += rows * columns * (2 - 1.0 / layers);
  return shares + on_the_way;
}

int LargestBrick::most_rounds() const {
  const double most = std::floor(inner_ / parts_[1]);
  return static_cast<int>(std::clamp(most, 1.0, double{std::numeric_limits<int>::max()}));
}

int LargestBrick::rounds_to_overlap() const {
  if (parts_[0] == 1 && parts_[1] == 1) return 1;
  const auto inner = static_cast<std::int64_t>(inner_);
  return static_cast<int>(std::clamp<std::int64_t>(inner / wide_enough, 1, rounds_for_overlap));
}

double LargestBrick::least_memory_in(BrickSteps tiles, std::optional<int> rounds) const {
  tiles.rounds = rounds.value_or(1);
  const double whole = memory(tiles);
  if (rounds) return whole;
  tiles.rounds = std::max(most_rounds(), 2);
  return std::min(whole, memory(tiles));
}

double LargestBrick::least_memory(std::optional<int> rounds) const {
  // More tiles never need more memory, except for the first cut of columns: it brings B's panels in
  // pieces.
  const int row_tiles = most_tiles_along(rows_), column_tiles = most_tiles_along(columns_);
  return std::min({least_memory_in({}, rounds), least_memory_in({1, row_tiles, 1}, rounds),
                   least_memory_in({1, row_tiles, column_tiles}, rounds)});
}

BrickSteps LargestBrick::tiles_that_fit(std::optional<int> rounds, double memory) const {
  if (least_memory_in({}, rounds) <= memory) return {};
  const auto of = most_words();
  std::pair fewest{std::numeric_limits<double>::infinity(), 0};
  BrickSteps best;
  for (int rows = 1; rows <= most_tiles_along(rows_); ++rows) {
    for (int columns = 1; columns <= most_tiles_along(columns_); ++columns) {
      const BrickSteps tiles{1, rows, columns};
      const std::pair words{of[0] * columns + of[1] * rows, tiles.tiles()};
      if (words >= fewest || least_memory_in(tiles, rounds) > memory) continue;
      fewest = words;
      best = tiles;
    }
  }
  return best;
}

int LargestBrick::rounds_that_fit(BrickSteps steps, double memory) const {
  const double a_and_b = inner_ * (rows_ / parts_[1] + columns_ / parts_[0]);
  const double tile = rows_ / steps.row_tiles * columns_ / steps.column_tiles;
  const LocalDomain domain{std::sqrt(tile), inner_};
  const int most = most_rounds();
  const auto fits = [&] { return this->memory(steps) <= memory; };
  // Rounds are tried from the number of the paper's formula, which counts one panel of each
  // operand, up to the number with which two panels of each fit.
  const std::int64_t fewest = std::min<std::int64_t>(fewest_rounds(domain, memory - a_and_b), most);
  steps.rounds = std::max(rounds_to_overlap(), static_cast<int>(fewest));
  while (!fits() && steps.rounds < most) ++steps.rounds;
  // One panel of each may fit even if two of the narrowest do not.
  return fits() ? steps.rounds : 1;
}

}  // namespace cuboid::detail
