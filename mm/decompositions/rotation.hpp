#pragma once

#include <cuboid/grid_shape.hpp>

#include <optional>
#include <vector>

namespace cuboid::detail {

/// The operand: A (left), whose blocks travel along the rows of a grid, or B (right), whose blocks
/// travel along its columns.
enum class Side { left, right };

/// One digit of the positions on a grid: rows are numbered in mixed radix with digits below `rows`,
/// columns with digits below `columns`.
struct RotationDigit {
  int rows = 1;
  int columns = 1;

  /// The number of blocks that rotate along this digit: lcm(rows, columns), so each row and each
  /// column has equally many.
  int blocks() const;
  bool operator==(const RotationDigit&) const = default;
};

/// The next use of the block that a rank multiplies at a step.
struct Onward {
  int to = 0;       ///< position on the line of the rank that needs it next
  int from = 0;     ///< position of the rank whose block replaces it here
  int arrival = 0;  ///< the step at which both are needed
};

/// Cannon's rotation: at every step each rank of a P×Q grid multiplies one block of its row of A
/// with the block of its column of B that has the same number; over all steps it multiplies every
/// block once. A block moves from the rank that used it to the rank that uses it next. Pure.
///
/// Consider a digit in which the rank's row has digit i of p and its column digit j of q, with L =
/// lcm(p, q) blocks. The block of a step has the digit
///
///   i · L/p + j · L/q ± t (mod L),
///
/// where t counts the advances of this digit. With p = q and one digit this is Cannon's algorithm
/// (Solomonik and Demmel 2012, algorithm 1): i + j + t, one step to the left or up each. With
/// unequal p and q it is Cannon's algorithm on an L×L grid folded onto p×q: a row of A has L/q
/// blocks on every rank, one of which moves per step.
///
/// With several digits, one of them advances by one at every step (a modular Gray code), the
/// innermost most often: SD-Cannon's contraction (Solomonik and Demmel 2012, algorithm 4) without
/// the shifts that bring blocks back.
class Rotation {
 public:
  /// @param digits      the digits, slowest first; at least one.
  /// @param innermost   the digit that advances most often. The digits before it follow,
  ///                    cyclically.
  /// @param direction   +1 or -1, the sign of t.
  Rotation(std::vector<RotationDigit> digits, int innermost, int direction);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  /// The number of steps, which is also the number of blocks.
  int steps() const { return steps_; }
  /// The number of ranks along which a side travels: the ranks of a row for A, of a column for B.
  int line(Side side) const { return side == Side::left ? columns_ : rows_; }

  /// The block that the rank at `position` multiplies at a step.
  int block(GridPosition position, int step) const;

  /// True if the block of a step was not used on the line before, so that it comes from its
  /// original position. The same for all ranks; true for steps() / line(side) steps.
  bool begins(Side side, int step) const;

  /// The original position on its line of the block of a step; the inner dimension is distributed
  /// along the line.
  int home(Side side, GridPosition position, int step) const;

  /// The next use of the block of a step; nullopt if no rank on the line needs the block any more.
  /// Whether and when it is needed is the same for all ranks.
  std::optional<Onward> onward(Side side, GridPosition position, int step) const;

 private:
  using Digits = std::vector<int>;

  /// The steps at which the blocks of a side are used again on a line. Equal for all ranks and
  /// lines.
  struct Uses {
    std::vector<bool> first;  // by step
    // By step: the next step that uses the same block on the line.
    std::vector<std::optional<int>> again;
  };

  Digits advances_until(int step) const;
  int window(Side side, int step) const;
  Uses uses(Side side) const;
  const Uses& uses_of(Side side) const { return side == Side::left ? left_ : right_; }

  std::vector<RotationDigit> digits_;
  std::vector<std::size_t> order_;  // indices of the digits, outermost first
  int direction_;
  int rows_ = 1;
  int columns_ = 1;
  int steps_ = 1;
  std::vector<Digits> advances_;  // by step
  Uses left_;
  Uses right_;
};

/// The grid on which the blocks of a side belong to the ranks that multiply them first, so that no
/// stagger is needed. Block b of a row of A is at column b, block b of a column of B at row b. The
/// ranks are the ranks of `grid`.
/// @param rotation  has as many steps as each line has ranks: the rotation of a square grid with
///                  one digit.
GridShape skewed(const GridShape& grid, const Rotation& rotation, Side side);

/// The memory slot of a side's block at each step. The same on every rank: original blocks are in
/// slots 0, 1, …; later blocks take slots that are free by then.
struct Slots {
  std::vector<int> of_step;
  int count = 0;

  Slots(const Rotation& rotation, Side side);
};

}  // namespace cuboid::detail
