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

/// The row interchanges of one step of a pivoted factorisation: the rows `pivot_rows` become rows
/// begin, begin + 1, … by one swap after the other, as in LAPACK. A pure value, whose size is that
/// of the step, not of the matrix.
class Interchange {
 public:
  Interchange() = default;
  /// @param pivot_rows  distinct rows >= begin, numbered as before the step.
  Interchange(std::int64_t begin, std::span<const std::int64_t> pivot_rows);

  /// The moves of all rows that are among `pivot_rows` or at their places, by destination. Rows
  /// that stay are listed, too.
  const std::vector<RowMove>& moves() const { return moves_; }
  /// The row with which each of begin, begin + 1, … is swapped, in turn: LAPACK's IPIV, counted
  /// from 0.
  const std::vector<std::int64_t>& swaps() const { return swaps_; }

 private:
  std::vector<RowMove> moves_;
  std::vector<std::int64_t> swaps_;
};

/// The original row at each place after all swaps of row k with row swaps[k], for k = 0, 1, ….
/// @param rows  the number of rows.
std::vector<std::int64_t> sources_of(std::span<const std::int64_t> swaps, std::int64_t rows);

/// The moves of these swaps, or of the swaps undone, last to first, without rows that stay.
std::vector<RowMove> moves_of(std::span<const std::int64_t> swaps, std::int64_t rows, bool undone);

}  // namespace cuboid::detail
