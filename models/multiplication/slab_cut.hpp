#pragma once

#include <algorithm>
#include <vector>

namespace cuboid::detail {

/// Shares of what others own of a layer's operands that have come to a rank by some moment.
struct SlabShares {
  double rows = 0;   ///< of op(A)'s rows
  double given = 0;  ///< of op(B)'s columns that other layers sum
  double kept = 0;   ///< of those that this layer sums
  bool operator==(const SlabShares&) const = default;
};

/// How op(A)'s rows and op(B)'s columns reach a rank of a layer: its own ones are there, those of
/// others of its lines come in slabs, one after the other. With the slabs of both, another border
/// of C is complete and can be given to the layers that sum it, under what comes next; the first
/// border includes what the rank owns of both. Columns that this layer sums itself come last: its
/// products with them have only to be ready with the others' sums.
///
/// Of the time T that operands need, and sums as well, let the r-th slabs be there at t(r)·T. What
/// is given can be complete to u·v then, with u = 1/Q + (1 - 1/Q)·t of the rows on a line of Q
/// ranks, and v = 1/P + (1 - 1/P)·min(1, t/g) of the given columns, which are g of all. What is not
/// complete before the r-th slabs is still to be given, which takes as much of T; so all is done
/// after the largest of t(r) + 1 - u(r-1)·v(r-1), for the first of t(1) + 1: on lines of 4 and as
/// many layers 1.15·T in 7 slabs, 1.04·T in very many, where without slabs it would be 2·T.
struct SlabCut {
  std::vector<SlabShares> steps = {{1, 1, 1}};  ///< after each slab; the last are all 1
  double own_rows = 1;                          ///< share of the rows that a rank owns, 1/Q
  double own_columns = 1;                       ///< share of the columns, 1/P
  double given = 0;  ///< share of the columns that other layers sum, 1 - 1/c

  /// Slabs that come.
  int count() const { return static_cast<int>(steps.size()); }
  /// Share of the rows that are there.
  double rows(const SlabShares& come) const { return own_rows + (1 - own_rows) * come.rows; }
  /// Shares of all columns: of the given ones that are there, and of the kept ones.
  double given_columns(const SlabShares& come) const {
    return given * (own_columns + (1 - own_columns) * come.given);
  }
  double kept_columns(const SlabShares& come) const {
    return (1 - given) * (own_columns + (1 - own_columns) * come.kept);
  }
  /// Share of what is given of C that is complete; of nothing, all.
  double complete(const SlabShares& come) const {
    return given > 0 ? rows(come) * given_columns(come) / given : 1;
  }
  /// When that has come, in units of the time that operands need.
  double arrival(const SlabShares& come) const {
    const double of_columns = given * come.given + (1 - given) * come.kept;
    return std::max(own_rows < 1 ? come.rows : 0, own_columns < 1 ? of_columns : 0);
  }
};

}  // namespace cuboid::detail
