#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/layered_grid.hpp"

#include <optional>

namespace cuboid::detail {

/// A rank's place on a layered grid, and the ranks beside it.
struct LayerRanks {
  LayeredPosition here;
  Communicator layer;  ///< the ranks of this layer, row by row
  Communicator line;   ///< the ranks at this place in all layers, by layer
};

/// The place and communicators of this rank; nullopt outside the grid. Collective over
/// `communicator`.
std::optional<LayerRanks> layer_ranks(const Communicator& communicator, const LayeredGrid& grid);

/// A layer's copy of an operand that the ranks of layer 0 own and multicast along the lines through
/// the layers, and the slice of it that the layer multiplies (Solomonik et al. 2011, algorithm 1).
template <MatrixElement T>
class LayerCopy {
 public:
  /// @param whole  the operand's layout on the ranks of a layer.
  /// @param slice  the part of the operand that this layer multiplies.
  /// Does not communicate. Throws Error(out_of_memory).
  LayerCopy(const LayerRanks& ranks, const Layout& whole, const BlockRange& slice);

  /// Multicasts the operand from layer 0. Collective over the line.
  void replicate(const Matrix<T>& operand);
  /// The layer's slice of the copy, whose memory it refers to, on the ranks of the layer.
  Matrix<T> slice() { return MatrixView<T>(whole_, slice_); }

 private:
  Matrix<T> whole_;
  BlockRange slice_;
  bool is_root_;
  CollectivePlan multicast_;
};

}  // namespace cuboid::detail
