#include "mm/drivers/layered/slab_face.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"

#include <algorithm>
#include <complex>
#include <numeric>

namespace cuboid::detail {

std::vector<std::int64_t> begins(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> sums{0};
  for (const std::int64_t extent : extents) sums.push_back(sums.back() + extent);
  return sums;
}

template <MatrixElement T>
SlabFace<T>::SlabFace(const Communicator& line, const OwnedVectors& owned,
                      std::span<const std::size_t> pieces, std::span<const double> come,
                      std::int64_t inner)
    : inner_(inner),
      slabs_(cut_slabs(owned, static_cast<std::size_t>(line.rank()), pieces, come)),
      stored_(begins(owned[static_cast<std::size_t>(line.rank())])),
      memory_(extent(0, slabs_.all.size()) * inner, "a layer's operand"),
      gathers_(slabs_.all.size()),
      in_flight_(slabs_.all.size()) {
  const auto own = static_cast<std::size_t>(line.rank());
  const auto elements = [&](std::int64_t vectors) {
    return static_cast<std::size_t>(vectors * inner_);
  };
  for (std::size_t index = 1; index < slabs_.all.size(); ++index) {
    const Slab& slab = slabs_.all[index];
    const Slab& sent = slabs_.sent[index];
    std::vector<std::size_t> counts(owned.size()), displacements(owned.size());
    for (const VectorRun& run : slab.runs) counts[run.owner] += elements(run.extent);
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), elements(slab.begin));
    // This rank's own vectors are sent from their place in its own slab.
    counts[own] = elements(sent.extent);
    displacements[own] = elements(sent.begin);
    const bool moves = std::ranges::any_of(counts, [](std::size_t count) { return count > 0; });
    if (line.size() == 1 || !moves) continue;
    gathers_[index] =
        plan_allgatherv(line, {memory_.data() + displacements[own], counts[own], datatype_of<T>()},
                        {memory_.data(), elements(extent(0, slabs_.all.size())), datatype_of<T>()},
                        counts, displacements);
  }
}

template <MatrixElement T>
std::int64_t SlabFace<T>::extent(std::size_t first, std::size_t end) const {
  if (first == end) return 0;
  const Slab& last = slabs()[end - 1];
  return last.begin + last.extent - slabs()[first].begin;
}

template <MatrixElement T>
void SlabFace<T>::pack(std::size_t slab, const FlatOperand<T>& operand) {
  const Slab& sent = slabs_.sent[slab];
  std::int64_t place = sent.begin;
  for (const VectorRun& run : sent.runs) {
    copy(operand.packing_op, operand.vectors(stored_[run.piece] + run.begin, run.extent),
         dense_view(vector_at(place), inner_, run.extent));
    place += run.extent;
  }
}

template <MatrixElement T>
void SlabFace<T>::start(std::size_t slab) {
  if (gathers_[slab]) in_flight_[slab] = gathers_[slab]->start();
}

template <MatrixElement T>
bool SlabFace<T>::progress() {
  bool moves = false;
  for (Request& gather : in_flight_) moves |= !gather.test();
  return moves;
}

template <MatrixElement T>
Panel<T> SlabFace<T>::panel(std::size_t slab, Op op) const {
  return {vector_at(slabs()[slab].begin), std::max<std::int64_t>(inner_, 1), op};
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(SlabFace);

}  // namespace cuboid::detail
