#include "mm/drivers/summa/gathered_panels.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>
#include <numeric>

namespace cuboid::detail {

template <MatrixElement T>
GatheredPanels<T>::GatheredPanels(const Communicator& line, const BlockCyclic<Inner>& owners,
                                  std::int64_t vectors, std::span<const PanelRanges> panels)
    : line_(line), vectors_(vectors) {
  std::int64_t widest = 0;
  for (const PanelRanges& panel : panels) {
    if (line.size() > 1 || panel.size() > 1) widest = std::max(widest, extent_of(panel));
  }
  for (GatheredSlot& slot : slots_)
    slot.memory = AlignedArray<T>(vectors * widest, "a panel of SUMMA's moving operand");
  for (const PanelRanges& panel : panels) {
    const auto shares = panel_shares(owners, panel);
    const auto before = shares.begin() + line.rank();
    Gathering gathering{.own = {},
                        .begin = std::accumulate(shares.begin(), before, std::int64_t{0}),
                        .in_place = line.size() == 1 && panel.size() == 1};
    for (const PanelPiece& piece : panel_pieces(owners, panel)) {
      if (piece.owner == line.rank()) gathering.own.push_back(piece);
    }
    if (gathers()) gathering.plan = planned(gatherings_.size() % 2, shares);
    gatherings_.push_back(std::move(gathering));
  }
}

/// The index of a plan; equal plans have one index.
template <MatrixElement T>
std::size_t GatheredPanels<T>::planned(std::size_t slot, const std::vector<std::int64_t>& shares) {
  return plans_.number(slot, shares, vectors_, [&](const std::vector<std::size_t>& counts) {
    const auto own = counts.begin() + line_.rank();
    T* const memory = slots_[slot].memory.data();
    const Datatype type = datatype_of<T>();
    return plan_allgatherv(
        line_, {memory + std::accumulate(counts.begin(), own, std::size_t{0}), *own, type},
        {memory, std::accumulate(counts.begin(), counts.end(), std::size_t{0}), type}, counts);
  });
}

template <MatrixElement T>
void GatheredPanels<T>::start(std::int64_t step, const TallOperand<T>& operand) {
  const Gathering& gathering = gatherings_[static_cast<std::size_t>(step)];
  GatheredSlot& slot = slot_of(step);
  if (gathering.in_place) {
    const PanelPiece& all = gathering.own.front();
    const LocalView<const T> block = operand.local_block(all.local, all.range.extent());
    slot.panel = {block.data, block.leading_dimension, operand.in_place_op};
    return;
  }
  const std::int64_t rows = std::max<std::int64_t>(vectors_, 1);
  slot.panel = {slot.memory.data(), rows, operand.panel_op};
  T* columns = slot.memory.data() + gathering.begin * vectors_;
  for (const PanelPiece& piece : gathering.own) {
    const std::int64_t width = piece.range.extent();
    copy(operand.packing_op, operand.local_block(piece.local, width),
         LocalView<T>{columns, vectors_, width, rows});
    columns += width * vectors_;
  }
  if (gathers()) slot.arrival = plans_[gathering.plan].start();
}

template <MatrixElement T>
bool GatheredPanels<T>::progress() {
  bool in_flight = false;
  for (GatheredSlot& slot : slots_) in_flight |= !slot.arrival.test();
  return in_flight;
}

template <MatrixElement T>
Panel<T> GatheredPanels<T>::finish(std::int64_t step) {
  GatheredSlot& slot = slot_of(step);
  slot.arrival.wait();
  return slot.panel;
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(GatheredPanels);

}  // namespace cuboid::detail
