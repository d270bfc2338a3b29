#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/product_layouts.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// The three directions in which that work, a cuboid of m×n×k multiplications, can be cut. Along
/// each of them lies one face that ranks beside each other share: A along columns, B along rows, C
/// along the inner dimension.
enum class WorkAxis { rows, columns, inner };

/// "rows", "columns" or "inner".
std::string_view to_string(WorkAxis axis);

/// One cut of the work into nearly equal parts.
struct Split {
  WorkAxis along = WorkAxis::rows;
  int parts = 1;
  bool operator==(const Split&) const = default;
};

/// A place on a grid of bricks.
struct BrickPosition {
  int row = 0;
  int column = 0;
  int layer = 0;
  bool operator==(const BrickPosition&) const = default;
};

/// A box of the work: C's rows × columns, summed over inner.
struct Brick {
  GlobalRange<Row> rows;
  GlobalRange<Column> columns;
  GlobalRange<Inner> inner;

  /// Multiplications in it.
  double work() const {
    return static_cast<double>(rows.extent()) * static_cast<double>(columns.extent()) *
           static_cast<double>(inner.extent());
  }
};

/// What a rank's part in a multiplication costs it, in matrix elements ("words") and messages of a
/// two-sided exchange.
struct BrickCost {
  double work = 0;            ///< multiplications
  double words_received = 0;  ///< of A and B what it does not own, and of C to sum what it owns
  double messages = 0;        ///< received
};

/// The work cut into one brick per rank by a list of splits: the first cuts all ranks and all work
/// into parts, the next each of these, and so on. A 2-D decomposition is two splits, that of COSMA
/// (000 §3) up to three, that of CARMA (000 §2) as many as the number of ranks has factors. Ranks
/// are numbered so that the last split's parts are neighbours; ranks beyond the product of all
/// parts stay outside.
///
/// Each rank owns a slice, an equal share of columns, of each face of its brick: so every element
/// has one owner that needs it, and what a rank lacks is spread evenly over the ranks that share
/// the face (the blocked layout of 000 §7.6). A pure value.
class BrickGrid {
 public:
  /// No work on one rank.
  BrickGrid() = default;
  /// Throws Error(invalid_argument) for negative extents, parts < 1, or more than 2^31 - 1 ranks.
  BrickGrid(const ProductSize& size, std::vector<Split> splits);

  const ProductSize& size() const { return size_; }
  const std::vector<Split>& splits() const { return splits_; }
  /// Parts along a dimension, all splits together.
  int parts(WorkAxis along) const { return parts_[static_cast<std::size_t>(along)]; }
  /// The ranks that have a brick: 0 … ranks() - 1.
  int ranks() const { return parts_[0] * parts_[1] * parts_[2]; }

  /// nullopt for a rank that stays outside.
  std::optional<BrickPosition> position(int rank) const;
  Brick brick(const BrickPosition& position) const;

  /// Which part of a split a rank is in. `rank` < ranks().
  int digit(int rank, std::size_t split) const;
  /// The ranks that share a face of their bricks, those that differ only in the digits of the
  /// splits along `across`, are numbered by the slice of it that each owns: the digit of the first
  /// split counts least, so that ranks which differ in it alone own slices side by side.
  int slice(int rank, WorkAxis across) const;

  /// Who owns what of op(A), op(B) and C.
  Layout a_layout() const;
  Layout b_layout() const;
  Layout c_layout() const;

  /// How each axis is cut: into the bricks' parts, and these into slices for the ranks that share.
  BlockCyclic<Row> a_rows() const { return BlockCyclic<Row>::even(size_.m, parts_[0]); }
  BlockCyclic<Inner> a_inner() const {
    return BlockCyclic<Inner>::even(size_.k, parts_[2], parts_[1]);
  }
  BlockCyclic<Inner> b_inner() const { return BlockCyclic<Inner>::even(size_.k, parts_[2]); }
  BlockCyclic<Column> b_columns() const {
    return BlockCyclic<Column>::even(size_.n, parts_[1], parts_[0]);
  }
  BlockCyclic<Column> c_columns() const {
    return BlockCyclic<Column>::even(size_.n, parts_[1], parts_[2]);
  }

  /// What `rank` computes and receives in one multiplication whose operands lie in these layouts.
  /// @param rounds  in how many A and B arrive.
  BrickCost cost(int rank, int rounds = 1) const;
  /// The largest of each over all ranks.
  BrickCost busiest(int rounds = 1) const;

  bool operator==(const BrickGrid&) const = default;

 private:
  /// Elements of C that a rank receives from other layers, as FaceSum adds them up.
  std::int64_t sums_received(int rank, const Brick& brick) const;

  ProductSize size_;
  std::vector<Split> splits_;
  std::array<int, 3> parts_{1, 1, 1};  // by WorkAxis
};

/// "4x2x3 (rows x columns x layers)".
std::string to_string(const BrickGrid& grid);

}  // namespace cuboid::detail
