#pragma once

namespace cuboid {

/// How op(A)'s rows and op(B)'s columns are cut into slabs that come one after the other. With the
/// r-th slabs of both, a border of C is complete and can be summed over the layers under what comes
/// next. Of even slabs, s each, the r-th border is there after r/s of the time T that operands
/// need, and 1 - ((r - 1)/s)² of C is then still to be summed, which takes as much of T; so all is
/// done after the largest of r/s + 1 - ((r - 1)/s)², (1¼ + 1/s)·T at r = s/2 + 1, where without
/// slabs it would be 2·T. The first slab may thus be as long as (¼ + 1/s) of all without holding up
/// anything: it spares the local gemm the smallest of its tiles.
struct SlabCut {
  int units = 1;        ///< equal parts of the whole, s
  int first_units = 1;  ///< of them in the first slab; each further slab is one

  int count() const { return units - first_units + 1; }
};

}  // namespace cuboid
