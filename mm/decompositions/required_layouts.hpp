#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/rotation.hpp"

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// The layouts of op(A), op(B) and C that an algorithm needs on a grid: the present layouts if it
/// can use them, otherwise new layouts. Pure: the same on every rank and in the planner.
struct RequiredLayouts {
  Layout A;
  Layout B;
  Layout C;

  bool takes_a(const ProductLayouts& product) const {
    return applied(product.op_a, product.A) == A;
  }
  bool takes_b(const ProductLayouts& product) const {
    return applied(product.op_b, product.B) == B;
  }
  bool takes_c(const ProductLayouts& product) const { return product.C == C; }
};

/// For SUMMA and HSUMMA, whose owners broadcast panels: op(A) distributed by rows as C is, op(B) by
/// columns as C is, and no inner blocks so short that a panel would come in many pieces.
RequiredLayouts wanted_for_panels(const ProductLayouts& product, const GridShape& grid,
                                  std::int64_t panel_width);

/// The operand of SUMMA that stays in place while the other operand and C move.
enum class StationaryOperand { a, b };

/// The layouts for SUMMA with a stationary operand. With A stationary: op(A) is on the grid, in its
/// present layout if that is on the grid. C is distributed by rows like op(A). op(B) is on the
/// transposed grid, by rows distributed like op(A)'s columns. C's and op(B)'s columns are in one
/// run per process, in order: in their present layout if it has such runs, else evenly. With B
/// stationary: the same for Cᵀ = op(B)ᵀ·op(A)ᵀ on the transposed grid.
RequiredLayouts wanted_for_stationary(const ProductLayouts& product, const GridShape& grid,
                                      StationaryOperand stays);

/// For Cannon's algorithm and SD-Cannon, whose blocks rotate: the inner dimension distributed
/// evenly. With one rotation on a square grid op(A) and op(B) may be staggered already (see
/// skewed_for_cannon()).
RequiredLayouts wanted_for_rotation(const ProductLayouts& product, const GridShape& grid,
                                    std::span<const Rotation> colours);

/// For SRUMMA, where other ranks read blocks: as for panels, with long inner blocks.
RequiredLayouts wanted_for_reading(const ProductLayouts& product, const GridShape& grid);

/// For 2.5D: each layer has a slice of the inner dimension. The layer's ranks own parts of op(A)
/// and op(B) that are cut along the inner dimension or, for slabs, across it.
RequiredLayouts wanted_in_layers(const ProductSize& size, const LayeredGrid& grid,
                                 LayerAlgorithm inside);

/// For layers whose operands are replicated (Solomonik et al. 2011, algorithm 1): one block of each
/// matrix per rank of layer 0.
RequiredLayouts wanted_on_first_layer(const ProductSize& size, const LayeredGrid& grid);

}  // namespace cuboid::detail
