#include <cuboid/collectives.hpp>

#include "mm/local/device_factorisation.hpp"
#include "mm/local/unpivoted_lu.hpp"
#include "mm/lu/interchange.hpp"
#include "mm/lu/panel.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>
#include <span>

namespace cuboid::detail {

namespace {

/// Rows that may become pivots, the best first, with their numbers; at most as many as the panel
/// has columns.
template <MatrixElement T>
class PivotCandidates {
 public:
  explicit PivotCandidates(std::int64_t width) : width_(width) {}

  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  LocalView<const T> values() const { return {values_.data(), count(), width_, count()}; }

  /// The rows that partial pivoting chooses first.
  static PivotCandidates best_of(LocalView<const T> values, std::span<const std::int64_t> rows,
                                 const LocalKernels& kernels) {
    PivotCandidates best(values.columns);
    const std::int64_t taken = std::min(values.rows, values.columns);
    std::vector<T> scratch(static_cast<std::size_t>(values.rows * values.columns));
    const LocalView<T> factors{scratch.data(), values.rows, values.columns,
                               std::max<std::int64_t>(values.rows, 1)};
    copy<T>(values, factors);
    std::vector<std::int64_t> swaps(static_cast<std::size_t>(taken));
    if (!lu_on_device(kernels.gemm, factors, std::span(swaps)))
      kernels.lapack.getrf(factors, swaps);
    const std::vector<std::int64_t> order = sources_of(swaps, values.rows);
    best.values_.resize(static_cast<std::size_t>(taken * values.columns));
    for (std::int64_t i = 0; i < taken; ++i) {
      best.rows_.push_back(rows[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
    }
    for (std::int64_t j = 0; j < values.columns; ++j) {
      for (std::int64_t i = 0; i < taken; ++i) {
        best.values_[static_cast<std::size_t>(i + j * taken)] =
            values(order[static_cast<std::size_t>(i)], j);
      }
    }
    return best;
  }

  /// The best rows of both.
  static PivotCandidates winners(const PivotCandidates& one, const PivotCandidates& other,
                                 const LocalKernels& kernels) {
    if (one.count() == 0) return other;
    if (other.count() == 0) return one;
    const std::int64_t all = one.count() + other.count();
    std::vector<T> both(static_cast<std::size_t>(all * one.width_));
    const LocalView<T> stacked{both.data(), all, one.width_, all};
    copy<T>(one.values(), stacked.block(0, 0, one.count(), one.width_));
    copy<T>(other.values(), stacked.block(one.count(), 0, other.count(), one.width_));
    std::vector<std::int64_t> rows = one.rows_;
    rows.insert(rows.end(), other.rows_.begin(), other.rows_.end());
    return best_of(stacked, rows, kernels);
  }

  /// The length of the message, which does not depend on the number of rows.
  static std::size_t bytes(std::int64_t width) {
    return offset_of_values(width) + static_cast<std::size_t>(width * width) * sizeof(T);
  }
  void write(std::byte* message) const {
    const std::int64_t number = count();
    std::memcpy(message, &number, sizeof number);
    std::ranges::copy(std::as_bytes(std::span(rows_)), message + sizeof number);
    std::ranges::copy(std::as_bytes(std::span(values_)), message + offset_of_values(width_));
  }
  static PivotCandidates read(const std::byte* message, std::int64_t width) {
    PivotCandidates candidates(width);
    std::int64_t number = 0;
    std::memcpy(&number, message, sizeof number);
    candidates.rows_.resize(static_cast<std::size_t>(number));
    candidates.values_.resize(static_cast<std::size_t>(number * width));
    const auto rows = std::as_writable_bytes(std::span(candidates.rows_));
    const auto values = std::as_writable_bytes(std::span(candidates.values_));
    std::copy_n(message + sizeof number, rows.size(), rows.begin());
    std::copy_n(message + offset_of_values(width), values.size(), values.begin());
    return candidates;
  }

 private:
  static std::size_t offset_of_values(std::int64_t width) {
    return static_cast<std::size_t>(width + 1) * sizeof(std::int64_t);
  }

  std::int64_t width_;
  std::vector<std::int64_t> rows_;
  std::vector<T> values_;  // column-major, count() rows
};

/// The candidates of all ranks meet two by two.
template <MatrixElement T>
PivotCandidates<T> winners_of_all(const Communicator& communicator, const PivotCandidates<T>& own,
                                  std::int64_t width, const LocalKernels& kernels) {
  const auto meet = [&kernels, width](const void* left, const void* right, void* result,
                                      std::size_t) {
    const auto read = [&](const void* message) {
      return PivotCandidates<T>::read(static_cast<const std::byte*>(message), width);
    };
    PivotCandidates<T>::winners(read(left), read(right), kernels)
        .write(static_cast<std::byte*>(result));
  };
  const std::size_t bytes = PivotCandidates<T>::bytes(width);
  std::vector<std::byte> message(bytes);
  own.write(message.data());
  const Buffer buffer(message.data(), 1, Datatype::user(bytes));
  allreduce(communicator, buffer, buffer, Reduction::user(meet, Commutative::no));
  return PivotCandidates<T>::read(message.data(), width);
}

}  // namespace

template <MatrixElement T>
PanelFactors<T> factorise_panel_by_tournament(const Communicator& communicator,
                                              LuPanelPiece<T> piece, const LocalKernels& kernels) {
  const std::int64_t width = piece.values.columns;
  const auto own = PivotCandidates<T>::best_of(piece.values, piece.rows, kernels);
  const auto winners = winners_of_all(communicator, own, width, kernels);
  PanelFactors<T> factors{.width = width, .pivot_rows = winners.rows(), .diagonal = {}};
  factors.diagonal.resize(static_cast<std::size_t>(width * width));
  const LocalView<T> block{factors.diagonal.data(), width, width, width};
  copy<T>(winners.values(), block);
  // Rows are in the order in which partial pivoting has chosen them.
  factors.zero_pivot = factorise_without_pivoting(block, kernels);
  divide_by_upper(factors, piece.values, kernels);
  return factors;
}

#define CUBOID_FOR(T)                                                                          \
  template PanelFactors<T> factorise_panel_by_tournament(const Communicator&, LuPanelPiece<T>, \
                                                         const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
