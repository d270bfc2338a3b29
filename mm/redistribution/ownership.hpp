#pragma once

#include <cuboid/irregular_layout.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/redistribution/axis_runs.hpp"

#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// The owners of the elements of op() of a matrix with any kind of layout, by classes of its rows
/// and columns. A pure value; copies share the layout.
class Ownership {
 public:
  Ownership(AnyLayout layout, Op op);

  /// The distributions of op(matrix).
  const AxisDistribution& rows() const { return rows_; }
  const AxisDistribution& columns() const { return columns_; }
  bool transposed() const { return transposed_; }

  /// Calls visit(rank) for the ranks that store the elements of two classes.
  template <class Visit>
  void for_each_owner(int row_class, int column_class, const Visit& visit) const {
    if (transposed_) std::swap(row_class, column_class);
    if (const auto* const regular = std::get_if<Layout>(layout_.get())) {
      visit(regular->grid().rank({row_class, column_class}));
    } else {
      for (const int rank : std::get<IrregularLayout>(*layout_).owners({row_class, column_class}))
        visit(rank);
    }
  }

  /// The rank that sends the elements of two classes to `receiver`: the receiver itself if it
  /// stores them, else one of the owners. The receivers are distributed over the owners in turn.
  int sender_to(int receiver, int row_class, int column_class) const;

  /// A block that a rank stores as one column-major matrix.
  struct ClassBlock {
    int row_class = 0;  ///< class of the block's rows in op(matrix)
    int column_class = 0;
  };
  /// The blocks of a rank, in the order in which it stores them.
  std::vector<ClassBlock> blocks_of(int rank) const;

 private:
  std::shared_ptr<const AnyLayout> layout_;
  bool transposed_;
  AxisDistribution rows_;
  AxisDistribution columns_;
};

}  // namespace cuboid::detail
