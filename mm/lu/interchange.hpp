#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Row `from` of a matrix becomes its row `to`.
struct RowMove {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool operator==(const RowMove&) const = default;
};

/// The row interchanges of one step of a pivoted factorisation, in which the rows `pivot_rows`
/// become rows begin, begin + 1, … by one swap after the other, as LAPACK's do. A pure value, of
/// the step's size whatever the matrix's.
class Interchange {
 public:
  Interchange() = default;
  /// @param pivot_rows  distinct rows >= begin, numbered as before the step.
  Interchange(std::int64_t begin, std::span<const std::int64_t> pivot_rows);

  /// Every row that is among `pivot_rows` or at their places, where it goes; by destination. Those
  /// that stay are listed, too.
  const std::vector<RowMove>& moves() const { return moves_; }
  /// Which row each of begin, begin + 1, … is swapped with, in turn: LAPACK's IPIV, from 0.
  const std::vector<std::int64_t>& swaps() const { return swaps_; }

 private:
  std::vector<RowMove> moves_;
  std::vector<std::int64_t> swaps_;
};

/// Where the rows at each place come from after all swaps: row k with row swaps[k], for k = 0, 1,
/// ….
/// @param rows  how many there are.
std::vector<std::int64_t> sources_of(std::span<const std::int64_t> swaps, std::int64_t rows);

}  // namespace cuboid::detail
