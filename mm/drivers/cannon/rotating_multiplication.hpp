#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/decompositions/required_layouts.hpp"
#include "mm/decompositions/rotation.hpp"
#include "mm/drivers/cannon/block_exchange.hpp"
#include "mm/drivers/multiplication_driver.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// The common part of Cannon's algorithm and SD-Cannon: C ← α·op(A)·op(B) + β·C on a grid, ready to
/// run many times. The blocks of A rotate along the grid's rows, those of B along its columns. The
/// inner dimension is cut into equal slices, distributed cyclically over the colours: slices c, c +
/// colours, … belong to rotation c. At every step a rank multiplies a block of each colour while
/// the next blocks travel.
///
/// C may have any layout on the grid. A's and B's inner dimension is distributed evenly
/// (a_layout(), b_layout()), on the grid itself or, if each rank has one block of each, skewed, so
/// that no stagger is needed (rotation.hpp). Matrices with these layouts are read and written in
/// place; others are redistributed. Memory per rank: twice its share of op(A) and of op(B), and its
/// share of what is redistributed.
template <MatrixElement T>
class RotatingMultiplication : public MultiplicationDriver<T> {
 public:
  /// Collective over `communicator`, that of the matrices, including ranks outside the grid.
  /// @param colours  at least one; each with the grid's rows and columns.
  /// Throws Error(invalid_argument) if the grid has more ranks than there are or is not the
  /// rotations'; Error(out_of_memory) on every rank if a rank lacks memory.
  RotatingMultiplication(const Communicator& communicator, const GridShape& grid,
                         std::vector<Rotation> colours, const ProductLayouts& product,
                         Sidedness sides);

  /// The layouts of op(A), op(B) and C that need no redistribution.
  const Layout& a_layout() const { return wanted_.A; }
  const Layout& b_layout() const { return wanted_.B; }
  const Layout& c_layout() const { return wanted_.C; }

 private:
  /// The position of the blocks of one side and colour in every rank's memory.
  struct BlockPosition {
    Slots slots;
    std::size_t begin = 0;        // offset of the first slot, in elements
    std::size_t slot_length = 0;  // length of a slot, in elements
    std::size_t element(int slot) const {
      return begin + static_cast<std::size_t>(slot) * slot_length;
    }
  };

  bool is_skewed(Side side) const {
    return (side == Side::left ? wanted_.A : wanted_.B).grid() != grid_;
  }

  const BlockPosition& place(Side side, std::size_t colour) const {
    return (side == Side::left ? a_places_ : b_places_)[colour];
  }
  std::size_t lay_out_memory();
  std::vector<BlockStage> make_stages() const;
  void add_stagger(Side side, BlockStage& stage) const;
  void add_shifts(Side side, int step, BlockStage& stage) const;
  std::size_t bytes_of(Side side, int slice) const;
  int slice(std::size_t colour, GridPosition position, int step) const;
  int peer(Side side, int place) const;

  LocalView<T> block(Side side, int slot, std::size_t colour, int slice) const;
  void pack(Side side, Op op, LocalView<const T> stored) const;
  void multiply(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds) override;

  GridShape grid_;
  std::vector<Rotation> colours_;
  RequiredLayouts wanted_;
  BlockCyclic<Inner> slices_;
  std::optional<GridPosition> position_;            // none outside the grid
  std::vector<BlockPosition> a_places_, b_places_;  // by colour
  std::unique_ptr<BlockExchange> exchange_;
};

}  // namespace cuboid::detail
