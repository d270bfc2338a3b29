#pragma once

#include <cuboid/grid_shape.hpp>

#include <optional>
#include <vector>

namespace cuboid::detail {

/// Which operand: A, whose blocks travel along the rows of a grid, or B, whose blocks travel along
/// its columns.
enum class Side { left, right };

/// One digit of the positions on a grid: rows are numbered in mixed radix by digits below `rows`,
/// columns by digits below `columns`.
struct Turn {
  int rows = 1;
  int columns = 1;

  /// The blocks that rotate along this digit: lcm(rows, columns), so that each row and each column
  /// has equally many.
  int blocks() const;
  bool operator==(const Turn&) const = default;
};

/// Where the block of a step goes after it.
struct Onward {
  int to = 0;       ///< the place on the line of the rank that needs it next
  int from = 0;     ///< and of the one whose block comes here in its stead
  int arrival = 0;  ///< the step at which both are needed
};

/// Cannon's rotation: at every step each rank of a P×Q grid multiplies one block of its row of A
/// with the block of its column of B that has the same number, and over all steps every block once.
/// Blocks wander, each from the rank that used it to the one that uses it next. Pure numbers.
///
/// Along a digit in which the rank's row has digit i of p and its column j of q, with L = lcm(p, q)
/// blocks, the block of a step has the digit
///
///   i · L/p + j · L/q ± t (mod L),
///
/// t counting the turns of this digit. With p = q and one digit that is Cannon's (002, algorithm
/// 1): i + j + t, one step to the left or up each. With unequal p and q it is Cannon's on a grid of
/// L×L ranks folded onto p×q, where a row of A has L/q blocks on every rank, one of which moves.
///
/// With several digits, one turns by one at every step (a modular Gray code), the innermost most
/// often: SD-Cannon's contraction (002, algorithm 4) without the shifts that bring blocks back.
class Rotation {
 public:
  /// @param turns      the digits, slowest first; at least one.
  /// @param innermost  which digit turns at most steps; those before it come next, cyclically.
  /// @param direction  +1 or -1, the sign of t.
  Rotation(std::vector<Turn> turns, int innermost, int direction);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  /// How many there are, and how many blocks.
  int steps() const { return steps_; }
  /// Ranks along which a side travels: those of a row for A.
  int line(Side side) const { return side == Side::left ? columns_ : rows_; }

  /// The block that the rank at `position` multiplies at a step.
  int block(GridPosition position, int step) const;

  /// Whether the block of a step was not used on the line before, so that it must come from where
  /// it was laid out. The same for all ranks; steps() / line(side) steps are such.
  bool begins(Side side, int step) const;

  /// The place on its line where the block of a step was laid out, as the inner dimension is along
  /// the line.
  int home(Side side, GridPosition position, int step) const;

  /// Where the block of a step goes; nullopt where nobody on the line needs it any more. Whether
  /// and when is the same for all ranks.
  std::optional<Onward> onward(Side side, GridPosition position, int step) const;

 private:
  using Digits = std::vector<int>;

  /// When the blocks of a side that are used on a line at one step are used there again. Equal for
  /// all ranks and lines.
  struct Uses {
    std::vector<bool> first;                // by step
    std::vector<std::optional<int>> again;  // by step: the next at which they are
  };

  Digits turned(int step) const;
  int window(Side side, int step) const;
  Uses uses(Side side) const;
  const Uses& uses_of(Side side) const { return side == Side::left ? left_ : right_; }

  std::vector<Turn> turns_;
  std::vector<std::size_t> order_;  // of the digits, outermost first
  int direction_;
  int rows_ = 1;
  int columns_ = 1;
  int steps_ = 1;
  std::vector<Digits> turned_;  // by step
  Uses left_;
  Uses right_;
};

/// The grid on which the blocks of a side, numbered along its line as the inner dimension is,
/// belong to the ranks that multiply them first: laid out so, they need not be staggered. Block b
/// of a row of A is at column b, of a column of B at row b; ranks are those of `grid`.
/// @param rotation  of as many steps as either line has ranks: a square grid's of one digit.
GridShape skewed(const GridShape& grid, const Rotation& rotation, Side side);

/// In which of a side's slots of memory each step finds its block, the same on every rank: blocks
/// as laid out are in slots 0, 1, …, later ones take slots that are free by then.
struct Slots {
  std::vector<int> of_step;
  int count = 0;

  Slots(const Rotation& rotation, Side side);
};

}  // namespace cuboid::detail
