#pragma once

#include <cuboid/models/hockney.hpp>
#include <cuboid/models/product_extents.hpp>

namespace cuboid {

/// What a multiplication as it is run costs the busiest rank, with whole rows and columns; words
/// are matrix elements.
struct MultiplicationCost {
  double work = 0;       ///< multiplications
  double words = 0;      ///< received, less what the rank owns
  double sum_words = 0;  ///< of these, sums of C, which follow at the end
  double messages = 0;   ///< received
  double memory = 0;     ///< words held: shares of the matrices and what is on its way
  double rounds = 1;     ///< steps in which A and B arrive
};

/// SUMMA on a rows × columns grid with panels of `width`: a rank sees its rows of A and its columns
/// of B; one message per panel and grid dimension (003 §II-A; 000 table 3, 2D, with what it owns).
MultiplicationCost summa_cost(const ProductExtents& product, double rows, double columns,
                              double width);

/// SRUMMA (001 §3.1): the same words, one get per task and operand of another rank; tasks of at
/// most `widest_task` inner indices, blocks of two of them buffered.
MultiplicationCost srumma_cost(const ProductExtents& product, double rows, double columns,
                               double widest_task);

/// Cannon's and SD-Cannon's on side × side: every block shifts `side` times, the first time into
/// place (002 §2).
MultiplicationCost cannon_cost(const ProductExtents& product, double side);

/// 2.5D on side × side × layers (004 §3.1.2): A and B to all layers, SUMMA of 1/c of the inner
/// dimension in each with panels of `width`, C summed over them.
MultiplicationCost layered_cost(const ProductExtents& product, double side, double layers,
                                double width);

/// COSMA and CARMA with the work cut into rows × columns × layers of bricks, each rank owning an
/// equal share of its brick's faces (000 §3, §7.6): a rank gets the rest of A's and B's face in
/// `rounds` rounds, and gives what is not its own of C's away.
MultiplicationCost brick_cost(const ProductExtents& product, double rows, double columns,
                              double layers, double rounds);

/// What a rank computes and communicates with.
struct RankRates {
  Hockney per_element;
  double multiplications_per_second = 1e10;
  bool overlap = true;  ///< whether messages travel while it multiplies
};

/// Seconds of a multiplication.
struct MultiplicationSeconds {
  double compute = 0;
  double communicate = 0;  ///< if nothing hid it
  double total = 0;        ///< from beginning to end
};

/// A rank receives its messages one after the other (Hockney, 003 §II), a share of 1/rounds before
/// it can begin, the rest under the multiplications where the machine overlaps; the last share of
/// these and the sums of C follow.
MultiplicationSeconds multiplication_seconds(const MultiplicationCost& cost,
                                             const RankRates& rates);

}  // namespace cuboid
