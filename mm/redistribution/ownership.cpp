#include "mm/redistribution/ownership.hpp"

#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace cuboid::detail {

namespace {

AxisDistribution row_axis_of(const AnyLayout& layout) {
  if (const auto* const regular = std::get_if<Layout>(&layout)) return regular->rows();
  return std::get<IrregularLayout>(layout).row_cuts();
}

AxisDistribution column_axis_of(const AnyLayout& layout) {
  if (const auto* const regular = std::get_if<Layout>(&layout)) return regular->columns().as<Row>();
  return std::get<IrregularLayout>(layout).column_cuts();
}

}  // namespace

Ownership::Ownership(AnyLayout layout, Op op)
    : layout_(std::make_shared<const AnyLayout>(std::move(layout))),
      transposed_(op != Op::none),
      rows_(transposed_ ? column_axis_of(*layout_) : row_axis_of(*layout_)),
      columns_(transposed_ ? row_axis_of(*layout_) : column_axis_of(*layout_)) {}

int Ownership::sender_to(int receiver, int row_class, int column_class) const {
  if (transposed_) std::swap(row_class, column_class);
  if (const auto* const regular = std::get_if<Layout>(layout_.get()))
    return regular->grid().rank({row_class, column_class});
  const auto owners = std::get<IrregularLayout>(*layout_).owners({row_class, column_class});
  const bool own = std::ranges::find(owners, receiver) != owners.end();
  return own ? receiver : owners[as_size(receiver) % owners.size()];
}

std::vector<Ownership::ClassBlock> Ownership::blocks_of(int rank) const {
  std::vector<ClassBlock> blocks;
  const auto add = [&](int row, int column) {
    blocks.push_back(transposed_ ? ClassBlock{column, row} : ClassBlock{row, column});
  };
  if (const auto* const regular = std::get_if<Layout>(layout_.get())) {
    if (const auto here = regular->grid().position(rank)) add(here->row, here->column);
  } else {
    for (const auto& place : std::get<IrregularLayout>(*layout_).blocks_of(rank))
      add(place.row, place.column);
  }
  return blocks;
}

}  // namespace cuboid::detail
