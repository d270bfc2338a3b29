#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/op.hpp>
#include <cuboid/window.hpp>

#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/random_element.hpp"

#include <complex>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace cuboid {

/// The element types of matrices, those of BLAS: s, d, c, z.
template <class T>
concept MatrixElement = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

namespace detail {
template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
}  // namespace detail

/// float for float and std::complex<float>, double for the other two.
template <MatrixElement T>
using RealOf = typename detail::RealOf<T>::type;

template <class T>
inline constexpr bool is_complex = !std::floating_point<T>;

/// The complex conjugate; a real number itself.
template <MatrixElement T>
constexpr T conjugate(T value) {
  if constexpr (is_complex<T>) {
    return {value.real(), -value.imag()};
  } else {
    return value;
  }
}

/// "float", "double", "complex<float>" or "complex<double>".
template <MatrixElement T>
constexpr std::string_view element_name() {
  if constexpr (std::same_as<T, float>) return "float";
  if constexpr (std::same_as<T, double>) return "double";
  if constexpr (std::same_as<T, std::complex<float>>) return "complex<float>";
  if constexpr (std::same_as<T, std::complex<double>>) return "complex<double>";
}

/// A column-major matrix in this rank's memory: element (i, j) at data[i + j · leading_dimension].
/// A view.
template <class T>
struct LocalView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading_dimension = 1;  ///< >= max(1, rows)

  T* column(std::int64_t j) const { return data + j * leading_dimension; }
  T& operator()(std::int64_t i, std::int64_t j) const { return column(j)[i]; }

  LocalView block(std::int64_t row, std::int64_t column_begin, std::int64_t row_count,
                  std::int64_t column_count) const {
    return {data + row + column_begin * leading_dimension, row_count, column_count,
            leading_dimension};
  }

  operator LocalView<const T>() const { return {data, rows, columns, leading_dimension}; }
};

/// A matrix spread over the ranks of a communicator: this rank's part of it, column-major with a
/// leading dimension, and the layout that says whose part is what. Move-only.
template <MatrixElement T>
class Matrix {
 public:
  /// Allocates this rank's part, uninitialised. Not collective, though every rank makes the same
  /// matrix.
  /// @param leading_dimension  >= local rows, or 0 for just the local rows (which lets panels be
  /// sent from
  ///                           where they lie).
  /// Throws Error(invalid_argument) where the layout's grid has more ranks than the communicator or
  /// the leading dimension is too small, Error(out_of_memory) naming the bytes. When only some
  /// ranks may run out of memory, make the matrix within collective_try()
  /// (collectives/collective_try.hpp).
  Matrix(const Communicator& communicator, const Layout& layout,
         std::int64_t leading_dimension = 0);

  /// A matrix around this rank's part in the caller's memory, which must outlive it: element (i, j)
  /// of the part is data[i + j · leading_dimension]. Throws Error(invalid_argument) as above.
  static Matrix wrap(const Communicator& communicator, const Layout& layout, T* data,
                     std::int64_t leading_dimension);

  /// A matrix in memory that the other ranks can read: those on the same node as if it were their
  /// own (part()), so that SRUMMA copies nothing. Made and destroyed collectively. Zeroed. Throws
  /// Error(invalid_argument) as above, Error(out_of_memory).
  static Matrix shared(const Communicator& communicator, const Layout& layout);

  const Communicator& communicator() const { return communicator_; }
  const Layout& layout() const { return layout_; }
  /// Rows and columns of the whole matrix.
  std::int64_t m() const { return layout_.m(); }
  std::int64_t n() const { return layout_.n(); }

  /// This rank's place on the layout's grid; nullopt where it holds nothing.
  std::optional<GridPosition> position() const {
    return layout_.grid().position(communicator_.rank());
  }
  std::int64_t local_rows() const { return local_.rows; }
  std::int64_t local_columns() const { return local_.columns; }
  std::int64_t leading_dimension() const { return local_.leading_dimension; }
  T* data() { return local_.data; }
  const T* data() const { return local_.data; }

  /// This rank's part.
  LocalView<T> local() { return local_; }
  LocalView<const T> local() const { return local_; }
  /// Whether every rank can read the parts of all others on its node; the same on every rank.
  bool is_readable_on_node() const { return readable_on_node_; }
  /// Where the part of a rank on this node lies, with its local rows as leading dimension, to be
  /// read in agreement with that rank. Only where is_readable_on_node().
  const T* part(int rank) const { return reinterpret_cast<const T*>(window_->direct(rank).data()); }

  T& operator()(Local<Row> i, Local<Column> j) { return local_(i.value, j.value); }
  const T& operator()(Local<Row> i, Local<Column> j) const { return local_(i.value, j.value); }

  /// Sets element (i, j) to value(i, j), called for the elements this rank holds. Not collective.
  template <std::invocable<Global<Row>, Global<Column>> F>
  void fill(F&& value) {
    fill_columns([&value](Global<Column> j) {
      return [&value, j](Global<Row> i) { return static_cast<T>(value(i, j)); };
    });
  }

  /// Pseudo-random elements, real and imaginary parts uniform in [-1, 1), that depend on (seed, i,
  /// j) and not on the layout. Not collective.
  void fill_random(std::uint64_t seed) {
    fill_columns([seed](Global<Column> j) {
      return [column = RandomColumn(seed, j)](Global<Row> i) { return column.at<T>(i); };
    });
  }

 private:
  Matrix(const Communicator& communicator, const Layout& layout, AlignedArray<T> memory,
         LocalView<T> local)
      : communicator_(communicator), layout_(layout), memory_(std::move(memory)), local_(local) {}

  /// Walks this rank's part run by run; `values_of_column(j)` gives the function of i.
  template <class ValuesOfColumn>
  void fill_columns(const ValuesOfColumn& values_of_column);

  Communicator communicator_;
  Layout layout_;
  AlignedArray<T> memory_;        // empty when the caller's or shared memory is used
  std::optional<Window> window_;  // of shared memory
  bool readable_on_node_ = false;
  LocalView<T> local_;
};

template <MatrixElement T>
template <class ValuesOfColumn>
void Matrix<T>::fill_columns(const ValuesOfColumn& values_of_column) {
  const auto here = position();
  if (!here) return;
  const auto& rows = layout_.rows();
  for (Local<Column> j; j.value < local_.columns; ++j) {
    const auto value = values_of_column(layout_.columns().global(here->column, j));
    T* const column = local_.column(j.value);
    for (Local<Row> i; i.value < local_.rows;) {
      const Global<Row> run = rows.global(here->row, i);
      const std::int64_t length = rows.run_end(run) - run;
      for (std::int64_t step = 0; step < length; ++step) column[i.value + step] = value(run + step);
      i += length;
    }
  }
}

extern template class Matrix<float>;
extern template class Matrix<double>;
extern template class Matrix<std::complex<float>>;
extern template class Matrix<std::complex<double>>;

/// A matrix and what is applied to it: op(A). Made from a matrix (as it is), transpose(A) or
/// conjugate_transpose(A). A view: the matrix stays the caller's.
template <MatrixElement T>
struct Operand {
  Op op;
  const Matrix<T>& matrix;

  Operand(const Matrix<T>& as_it_is) : op(Op::none), matrix(as_it_is) {}
  Operand(Op applied, const Matrix<T>& to) : op(applied), matrix(to) {}

  /// Rows and columns of op(A).
  std::int64_t m() const { return op == Op::none ? matrix.m() : matrix.n(); }
  std::int64_t n() const { return op == Op::none ? matrix.n() : matrix.m(); }
};

template <MatrixElement T>
Operand<T> transpose(const Matrix<T>& A) {
  return {Op::transpose, A};
}

template <MatrixElement T>
Operand<T> conjugate_transpose(const Matrix<T>& A) {
  return {Op::conjugate_transpose, A};
}

}  // namespace cuboid
