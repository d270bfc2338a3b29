#pragma once

#include <algorithm>
#include <vector>

namespace cuboid::detail {

/// The shares of a layer's operands owned by other ranks that have arrived at some moment.
struct SlabShares {
  double rows = 0;   ///< share of op(A)'s rows
  double given = 0;  ///< share of op(B)'s columns whose part of C other layers sum
  double kept = 0;   ///< share of op(B)'s columns whose part of C this layer sums
  bool operator==(const SlabShares&) const = default;
};

/// The arrival of op(A)'s rows and op(B)'s columns at a rank of a layer. The rank's own rows and
/// columns are there from the beginning; those of the other ranks of its lines arrive in slabs.
/// Each pair of slabs completes another border of C, which is sent to the layers that sum it while
/// the next slabs arrive. The first border includes the rank's own rows and columns. The columns
/// whose part of C this layer sums come last: their products are needed only for the final sums.
///
/// Let T be the time of all operands, which is also that of all sums, and let the r-th slabs arrive
/// at t(r)·T. By then the share u·v of the sums can be complete: u = 1/Q + (1 - 1/Q)·t of the rows
/// on a line of Q ranks, v = 1/P + (1 - 1/P)·min(1, t/g) of the columns for other layers, which are
/// a share g of all. The rest must still be sent. So the end is the largest of t(r) + 1 -
/// u(r-1)·v(r-1), with t(1) + 1 for the first slabs: on lines of 4 and 4 layers 1.15·T in 7 slabs
/// and 1.04·T in very many, instead of 2·T without slabs.
struct SlabCut {
  /// The shares that have arrived after each slab; all shares of the last are 1.
  std::vector<SlabShares> steps = {{1, 1, 1}};
  double own_rows = 1;     ///< share of the rows that a rank owns, 1/Q
  double own_columns = 1;  ///< share of the columns, 1/P
  double given = 0;        ///< share of the columns that other layers sum, 1 - 1/c

  /// The number of slabs.
  int count() const { return static_cast<int>(steps.size()); }
  /// The share of the rows that have arrived.
  double rows(const SlabShares& come) const { return own_rows + (1 - own_rows) * come.rows; }
  /// The shares of all columns that have arrived: of the columns for other layers, and of the kept
  /// columns.
  double given_columns(const SlabShares& come) const {
    return given * (own_columns + (1 - own_columns) * come.given);
  }
  double kept_columns(const SlabShares& come) const {
    return (1 - given) * (own_columns + (1 - own_columns) * come.kept);
  }
  /// The share of the sums for other layers that is complete; 1 if there are none.
  double complete(const SlabShares& come) const {
    return given > 0 ? rows(come) * given_columns(come) / given : 1;
  }
  /// The arrival of these slabs, in units of the time of all operands.
  double arrival(const SlabShares& come) const {
    const double of_columns = given * come.given + (1 - given) * come.kept;
    return std::max(own_rows < 1 ? come.rows : 0, own_columns < 1 ? of_columns : 0);
  }
};

}  // namespace cuboid::detail
