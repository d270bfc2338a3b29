#include <cuboid/allreduce.hpp>

#include "mm/lu/panel.hpp"
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

/// Factorises column by column, in strips: columns right of a strip are updated when it is done.
template <MatrixElement T>
class PartialPanel {
 public:
  PartialPanel(const Communicator& communicator, const LuPanelPiece<T>& piece, std::int64_t begin,
               const LocalKernels& kernels)
      : communicator_(communicator),
        piece_(piece),
        begin_(begin),
        kernels_(kernels),
        width_(piece.values.columns),
        taken_(piece.rows.size(), false),
        message_(sizeof(LargestHead) + static_cast<std::size_t>(width_) * sizeof(T)) {
    factors_.width = width_;
    factors_.diagonal.resize(static_cast<std::size_t>(width_ * width_));
  }

  PanelFactors<T> run() {
    constexpr std::int64_t strip_width = 32;
    for (std::int64_t strip = 0; strip < width_; strip += strip_width) {
      const std::int64_t end = std::min(strip + strip_width, width_);
      for (std::int64_t column = strip; column < end; ++column) eliminate(column, end);
      update_right_of(strip, end);
    }
    return std::move(factors_);
  }

 private:
  /// Moves a column's pivot row to its place, and subtracts it from the others in the columns
  /// before `end`.
  void eliminate(std::int64_t column, std::int64_t end) {
    take_pivot_row(column);
    const LocalView<T> block = diagonal();
    const T pivot = block(column, column);
    if (pivot == T(0)) {
      if (factors_.zero_pivot == 0) factors_.zero_pivot = column + 1;
      return;
    }
    const LocalView<T> values = piece_.values;
    T* const multipliers = values.column(column);
    for (std::int64_t i = 0; i < values.rows; ++i) multipliers[i] /= pivot;
    for (std::int64_t j = column + 1; j < end; ++j) {
      const T factor = block(column, j);
      T* const updated = values.column(j);
      for (std::int64_t i = 0; i < values.rows; ++i) updated[i] -= multipliers[i] * factor;
    }
  }

  void take_pivot_row(std::int64_t column) {
    LargestHead head;
    std::int64_t local = -1;
    for (std::int64_t i = 0; i < piece_.values.rows; ++i) {
      if (taken_[static_cast<std::size_t>(i)]) continue;
      const std::int64_t row = piece_.rows[static_cast<std::size_t>(i)];
      const LargestHead mine{magnitude(piece_.values(i, column)), place(row), row};
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
    const Buffer buffer(message_.data(), 1, Datatype::user(message_.size()));
    allreduce(communicator_, buffer, buffer, larger());

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

  /// Right of the strip, pivot rows still have the values from before the strip.
  void update_right_of(std::int64_t strip, std::int64_t end) {
    const std::int64_t rest = width_ - end, depth = end - strip;
    if (rest == 0) return;
    const LocalView<T> block = diagonal();
    const LocalView<T> upper = block.block(strip, end, depth, rest);
    kernels_.lapack.trsm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, T(1),
                         block.block(strip, strip, depth, depth), upper);
    const LocalView<T> values = piece_.values;
    kernels_.gemm(Op::none, Op::none, values.rows, rest, depth, T(-1), values.column(strip),
                  values.leading_dimension, upper.data, upper.leading_dimension, T(1),
                  values.column(end), values.leading_dimension);
  }

  Reduction larger() const {
    return Reduction::user(
        [bytes = message_.size()](const void* left, const void* right, void* result, std::size_t) {
          LargestHead one, other;
          std::memcpy(&one, left, sizeof one);
          std::memcpy(&other, right, sizeof other);
          const void* const winner = beats(other, one) ? right : left;
          if (result != winner) std::memcpy(result, winner, bytes);
        },
        Commutative::yes);
  }

  LocalView<T> diagonal() { return {factors_.diagonal.data(), width_, width_, width_}; }
  std::int64_t place(std::int64_t row) const { return image(place_of_, row); }
  std::int64_t row_at(std::int64_t place) const { return image(row_at_, place); }
  static std::int64_t image(const std::map<std::int64_t, std::int64_t>& images,
                            std::int64_t index) {
    const auto found = images.find(index);
    return found == images.end() ? index : found->second;
  }

  const Communicator& communicator_;
  const LuPanelPiece<T>& piece_;
  std::int64_t begin_;
  const LocalKernels& kernels_;
  std::int64_t width_;
  std::vector<bool> taken_;
  std::vector<std::byte> message_;
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
                                                     std::int64_t, const LocalKernels&);
CUBOID_FOR(float)
CUBOID_FOR(double)
CUBOID_FOR(std::complex<float>)
CUBOID_FOR(std::complex<double>)
#undef CUBOID_FOR

}  // namespace cuboid::detail
