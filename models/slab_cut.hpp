#pragma once

namespace cuboid {

/// How op(A)'s rows and op(B)'s columns reach a rank: its own ones are there, those of others of
/// its lines come in slabs, one after the other. With the r-th slabs of both, another border of C
/// is complete and can be summed over the layers under what comes next.
///
/// Of even slabs, s each, the r-th is there after r/s of the time T that operands need; the part of
/// C that is complete is then u(r)·v(r), with u(r) = 1/Q + (1 - 1/Q)·r/s of the rows on a line of Q
/// ranks, and v(r) likewise of the columns. What is not complete before the r-th slab is still to
/// be summed, which takes as much of T; so all is done after the largest of
/// r/s + 1 - u(r-1)·v(r-1), some (1.11 + 1/s)·T on lines of 4, where without slabs it would be 2·T.
/// The first slab is as long as it can be without holding up anything: that spares the local gemm
/// its smallest products.
struct SlabCut {
  int units = 1;           ///< equal parts of what others own, s
  int first_units = 1;     ///< of them in the first slab; each further slab is one
  double own_rows = 1;     ///< share of the rows that a rank owns, 1/Q
  double own_columns = 1;  ///< share of the columns

  /// Slabs that come.
  int count() const { return units - first_units + 1; }
  /// Share of the rows that are there once so many units have come.
  double rows(double come) const { return own_rows + (1 - own_rows) * come / units; }
  double columns(double come) const { return own_columns + (1 - own_columns) * come / units; }
  /// Share of C that is complete then.
  double complete(double come) const { return rows(come) * columns(come); }
};

}  // namespace cuboid
