#include <cuboid/collectives.hpp>

#include "mm/lu/panel.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

namespace cuboid::detail {

namespace {

/// A rank's row with the largest element of a column, which ranks compare: a message of this head
/// and the row's values.
struct LargestHead {
  double magnitude = -1;  ///< less than that of any element: the rank has no row
  /// place of the row after all swaps
  std::int64_t place = std::numeric_limits<std::int64_t>::max();
  std::int64_t row = -1;  ///< number of the row before the panel
};

bool beats(const LargestHead& one, const LargestHead& other) {
  if (one.magnitude != other.magnitude) return one.magnitude > other.magnitude;
  return one.place < other.place;
}

/// The magnitude as in ?getrf (|re| + |im|); NaN counts as largest, so that it appears at once.
template <MatrixElement T>
double magnitude(T value) {
  const double size = std::abs(static_cast<double>(std::real(value))) +
                      std::abs(static_cast<double>(std::imag(value)));
  return std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
}

/// Factorises column by column. As in recursive LU (Toledo 1997), a column is updated late, by many
/// at once: after 1, 3, 5, … columns by one, after 2, 6, 10, … by two, and so on.
template <MatrixElement T>
class PartialPanel {
 public:
  PartialPanel(const Communicator& communicator, const LuPanelPiece<T>& piece, std::int64_t begin,
               const LocalKernels& kernels)
      : piece_(piece),
        begin_(begin),
        kernels_(kernels),
        width_(piece.values.columns),
        taken_(piece.rows.size(), false),
        message_(sizeof(LargestHead) + static_cast<std::size_t>(width_) * sizeof(T)),
        to_largest_(plan_to_largest(communicator)) {
    factors_.width = width_;
    factors_.diagonal.resize(static_cast<std::size_t>(width_ * width_));
  }

  PanelFactors<T> run() {
    for (std::int64_t column = 0; column < width_; ++column) {
      take_pivot_row(column);
      divide_by_pivot(column);
      const std::int64_t next = column + 1, done = next & -next;
      update(next - done, next, std::min(next + done, width_));
    }
    return std::move(factors_);
  }

 private:
  void divide_by_pivot(std::int64_t column) {
    const T pivot = diagonal()(column, column);
    if (pivot == T(0)) {
      if (factors_.zero_pivot == 0) factors_.zero_pivot = column + 1;
      return;
    }
    T* const multipliers = piece_.values.column(column);
    for (std::int64_t i = 0; i < piece_.values.rows; ++i) multipliers[i] /= pivot;
  }

  void take_pivot_row(std::int64_t column) {
    LargestHead head;
    std::int64_t local = -1;
    for (std::int64_t i = 0; i < piece_.values.rows; ++i) {
      if (taken_[static_cast<std::size_t>(i)]) continue;
      const double size = magnitude(piece_.values(i, column));
      if (size < head.magnitude) continue;
      const std::int64_t row = piece_.rows[static_cast<std::size_t>(i)];
      const LargestHead mine{size, place(row), row};
      if (!beats(mine, head)) continue;
      head = mine;
      local = i;
    }
    std::byte* const values = message_.data() + sizeof head;
    std::memcpy(message_.data(), &head, sizeof head);
    for (std::int64_t j = 0; j < width_ && local >= 0; ++j) {
      const T value = piece_.values(local, j);
      std::memcpy(values + static_cast<std::size_t>(j) * sizeof(T), &value, sizeof(T));
    }
    to_largest_.run();

    LargestHead largest;
    std::memcpy(&largest, message_.data(), sizeof largest);
    if (local >= 0 && largest.row == head.row) taken_[static_cast<std::size_t>(local)] = true;
    const LocalView<T> block = diagonal();
    for (std::int64_t j = 0; j < width_; ++j) {
      std::memcpy(&block(column, j), values + static_cast<std::size_t>(j) * sizeof(T), sizeof(T));
    }
    factors_.pivot_rows.push_back(largest.row);
    const std::int64_t here = begin_ + column, displaced = row_at(here);
    place_of_[displaced] = largest.place;
    row_at_[largest.place] = displaced;
    place_of_[largest.row] = here;
    row_at_[here] = largest.row;
  }

  /// Subtracts the product of the columns `begin` … `next` - 1 from those up to `end`, where their
  /// pivot rows still have the values from before `begin`.
  void update(std::int64_t begin, std::int64_t next, std::int64_t end) {
    constexpr std::int64_t few = 8;
    const std::int64_t depth = next - begin;
    const LocalView<T> block = diagonal(), values = piece_.values;
    if (depth < few) {
      for (std::int64_t j = next; j < end; ++j) {
        for (std::int64_t k = begin; k < next; ++k) {
          const T factor = block(k, j);
          for (std::int64_t i = k + 1; i < next; ++i) block(i, j) -= block(i, k) * factor;
          const T* const multipliers = values.column(k);
          T* const updated = values.column(j);
          for (std::int64_t i = 0; i < values.rows; ++i) updated[i] -= multipliers[i] * factor;
        }
      }
    } else if (end > next) {
      const LocalView<T> upper = block.block(begin, next, depth, end - next);
      kernels_.lapack.trsm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, T(1),
                           block.block(begin, begin, depth, depth), upper);
      kernels_.gemm(Op::none, Op::none, values.rows, end - next, depth, T(-1), values.column(begin),
                    values.leading_dimension, upper.data, upper.leading_dimension, T(1),
                    values.column(next), values.leading_dimension);
    }
  }

  /// The all-reduce that puts the message with the largest element in all ranks' message.
  CollectivePlan plan_to_largest(const Communicator& communicator) {
    const auto larger = [bytes = message_.size()](const void* left, const void* right, void* result,
                                                  std::size_t) {
      LargestHead one, other;
      std::memcpy(&one, left, sizeof one);
      std::memcpy(&other, right, sizeof other);
      const void* const winner = beats(other, one) ? right : left;
      if (result != winner) std::memcpy(result, winner, bytes);
    };
    const Buffer buffer(message_.data(), 1, Datatype::user(message_.size()));
    return plan_allreduce(communicator, buffer, buffer, Reduction::user(larger, Commutative::yes));
  }

  LocalView<T> diagonal() { return {factors_.diagonal.data(), width_, width_, width_}; }
  std::int64_t place(std::int64_t row) const { return image(place_of_, row); }
  std::int64_t row_at(std::int64_t place) const { return image(row_at_, place); }
  static std::int64_t image(const std::map<std::int64_t, std::int64_t>& images,
                            std::int64_t index) {
    const auto found = images.find(index);
    return found == images.end() ? index : found->second;
  }

  const LuPanelPiece<T>& piece_;
  std::int64_t begin_;
  const LocalKernels& kernels_;
  std::int64_t width_;
  std::vector<bool> taken_;
  std::vector<std::byte> message_;
  CollectivePlan to_largest_;  // one plan for all columns
  PanelFactors<T> factors_;
  std::map<std::int64_t, std::int64_t> place_of_, row_at_;  // as differences from the identity
};

}  // namespace

template <MatrixElement T>
PanelFactors<T> factorise_panel_partially(const Communicator& communicator, LuPanelPiece<T> piece,
                                          std::int64_t begin, const LocalKernels& kernels) {
  return PartialPanel<T>(communicator, piece, begin, kernels).run();
}

#define CUBOID_FOR(T)                                                                      \
  template PanelFactors<T> factorise_panel_partially(const Communicator&, LuPanelPiece<T>, \
                                                     std::int64_t, const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
