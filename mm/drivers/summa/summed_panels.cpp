#include "mm/drivers/summa/summed_panels.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"

#include <algorithm>
#include <complex>
#include <numeric>

namespace cuboid::detail {

template <MatrixElement T>
std::int64_t SummedPanels<T>::Summing::width() const {
  return std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
}

template <MatrixElement T>
SummedPanels<T>::SummedPanels(const Communicator& line, PanelsOfC cut,
                              const BlockCyclic<Inner>& owners, std::int64_t vectors,
                              std::span<const PanelRanges> panels)
    : line_(line), cut_(cut), vectors_(vectors) {
  const auto me = static_cast<std::size_t>(line.rank());
  std::int64_t widest = 0, widest_own = 0;
  for (const PanelRanges& panel : panels) {
    Summing summing{.shares = panel_shares(owners, panel),
                    .own = {},
                    .in_place = line.size() == 1 && panel.size() == 1};
    for (const PanelPiece& piece : panel_pieces(owners, panel)) {
      if (piece.owner == line.rank()) summing.own.push_back(piece);
    }
    if (!summing.in_place) {
      widest = std::max(widest, summing.width());
      widest_own = std::max(widest_own, summing.shares[me]);
    }
    summings_.push_back(std::move(summing));
  }
  for (SummedSlot& slot : slots_) {
    slot.products = AlignedArray<T>(vectors * widest, "products of SUMMA");
    if (sums()) slot.sums = AlignedArray<T>(vectors * widest_own, "sums of SUMMA");
  }
  if (!sums()) return;
  if (cut == PanelsOfC::rows) rows_ = AlignedArray<T>(vectors * widest, "a product of SUMMA");
  for (std::size_t step = 0; step < summings_.size(); ++step)
    summings_[step].plan = planned(step % 2, summings_[step].shares);
}

/// The index of a plan; equal plans have one index.
template <MatrixElement T>
std::size_t SummedPanels<T>::planned(std::size_t slot, const std::vector<std::int64_t>& shares) {
  return plans_.number(slot, shares, vectors_, [&](const std::vector<std::size_t>& counts) {
    const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    const std::size_t own = counts[static_cast<std::size_t>(line_.rank())];
    const Datatype type = datatype_of<T>();
    return plan_reduce_scatterv(line_, {slots_[slot].products.data(), all, type},
                                {slots_[slot].sums.data(), own, type}, counts,
                                Reduction::Kind::sum);
  });
}

template <MatrixElement T>
LocalView<T> SummedPanels<T>::view(T* data, std::int64_t width) const {
  const std::int64_t rows = cut_ == PanelsOfC::columns ? vectors_ : width;
  const std::int64_t columns = cut_ == PanelsOfC::columns ? width : vectors_;
  return dense_view(data, rows, columns);
}

template <MatrixElement T>
LocalView<T> SummedPanels<T>::part_of(LocalView<T> C, std::int64_t begin,
                                      std::int64_t width) const {
  return cut_ == PanelsOfC::columns ? C.block(0, begin, C.rows, width)
                                    : C.block(begin, 0, width, C.columns);
}

template <MatrixElement T>
ProductTarget<T> SummedPanels<T>::target(std::int64_t step, T beta, LocalView<T> C) {
  const Summing& summing = summing_of(step);
  if (summing.in_place) {
    const PanelPiece& all = summing.own.front();
    return {part_of(C, all.local.value, all.range.extent()), beta};
  }
  const bool must_be_packed = sums() && cut_ == PanelsOfC::rows;
  return {view(must_be_packed ? rows_.data() : slot_of(step).products.data(), summing.width()),
          T(0)};
}

/// Copies the product so that each rank's rows are contiguous.
template <MatrixElement T>
void SummedPanels<T>::pack(const Summing& summing, SummedSlot& slot) {
  const LocalView<T> product = view(rows_.data(), summing.width());
  std::int64_t begin = 0;
  for (const std::int64_t share : summing.shares) {
    const LocalView<const T> rows = part_of(product, begin, share);
    copy(rows, view(slot.products.data() + begin * vectors_, share));
    begin += share;
  }
}

template <MatrixElement T>
void SummedPanels<T>::start(std::int64_t step) {
  if (!sums()) return;
  const Summing& summing = summing_of(step);
  SummedSlot& slot = slot_of(step);
  if (cut_ == PanelsOfC::rows) pack(summing, slot);
  slot.request = plans_[summing.plan].start();
}

template <MatrixElement T>
bool SummedPanels<T>::progress() {
  bool in_flight = false;
  for (SummedSlot& slot : slots_) in_flight |= !slot.request.test();
  return in_flight;
}

template <MatrixElement T>
void SummedPanels<T>::finish(std::int64_t step, T beta, LocalView<T> C) {
  const Summing& summing = summing_of(step);
  if (summing.in_place) return;
  SummedSlot& slot = slot_of(step);
  slot.request.wait();
  const std::int64_t width = summing.shares[static_cast<std::size_t>(line_.rank())];
  const LocalView<T> all = view(sums() ? slot.sums.data() : slot.products.data(), width);
  std::int64_t begin = 0;
  for (const PanelPiece& piece : summing.own) {
    const std::int64_t extent = piece.range.extent();
    const LocalView<const T> sum = part_of(all, begin, extent);
    add(T(1), Op::none, sum, beta, part_of(C, piece.local.value, extent));
    begin += extent;
  }
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(SummedPanels);

}  // namespace cuboid::detail
