#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/window.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace cuboid {

namespace detail {
class DeviceMemory;
}  // namespace detail

/// A view of a column-major matrix in this rank's memory: element (i, j) is at
/// data[i + j · leading_dimension]. A view without elements may have no memory.
template <class T>
struct LocalView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading_dimension = 1;  ///< >= max(1, rows)

  /// The first element of a column.
  T* column(std::int64_t j) const { return at(j * leading_dimension); }
  T& operator()(std::int64_t i, std::int64_t j) const { return data[i + j * leading_dimension]; }

  /// A block as a view of the same memory. The block must lie inside, which is not checked.
  LocalView block(std::int64_t row, std::int64_t column_begin, std::int64_t row_count,
                  std::int64_t column_count) const {
    return {at(row + column_begin * leading_dimension), row_count, column_count, leading_dimension};
  }

  operator LocalView<const T>() const { return {data, rows, columns, leading_dimension}; }

 private:
  T* at(std::int64_t offset) const { return data == nullptr ? nullptr : data + offset; }
};

/// Internal: frees the memory of a matrix that owns its memory.
struct CUBOID_API FreeAligned {
  void operator()(void* memory) const;
};

/// A matrix distributed over the ranks of a communicator: a layout, and this rank's part in
/// column-major storage with a leading dimension. Move-only.
template <MatrixElement T>
class CUBOID_API Matrix {
 public:
  /// Allocates this rank's part, uninitialised. Not collective, but every rank must make the same
  /// matrix.
  /// @param leading_dimension  at least the number of local rows; 0 means the number of local rows,
  ///                           with which panels are sent in place.
  /// Throws Error(invalid_argument) if the layout's grid has ranks that the communicator lacks or
  /// the leading dimension is too small, Error(out_of_memory) with the number of bytes. If only
  /// some ranks may run out of memory, call Communicator::throw_if_any_failed() afterwards.
  Matrix(const Communicator& communicator, const Layout& layout,
         std::int64_t leading_dimension = 0);

  /// A matrix whose local part lies in the caller's memory, which must outlive the matrix: local
  /// element (i, j) is data[i + j · leading_dimension]. Throws Error(invalid_argument) as above.
  static Matrix wrap(const Communicator& communicator, const Layout& layout, T* data,
                     std::int64_t leading_dimension);

  /// A matrix whose local part is allocated, uninitialised, in the memory of a CUDA device. Work in
  /// the device's default stream may use it at once, and Cuboid waits for that work before it reads
  /// the part. Not collective. Ranks may have parts on different devices, or in the host's memory.
  /// @param device  the device's number, as CUDA counts the devices that this process sees.
  /// Throws Error(unsupported) if there is no CUDA driver, Error(invalid_argument) as above or if
  /// there is no such device, Error(out_of_memory).
  static Matrix on_device(const Communicator& communicator, const Layout& layout, int device = 0);

  /// A zeroed matrix in memory that other ranks can read. Ranks of the same node read it directly
  /// (part()), so SRUMMA copies nothing. Construction and destruction are collective. Throws
  /// Error(invalid_argument) as above, Error(out_of_memory).
  static Matrix shared(const Communicator& communicator, const Layout& layout);

  /// The communicator whose ranks hold the matrix.
  const Communicator& communicator() const { return communicator_; }
  const Layout& layout() const { return layout_; }
  /// Number of rows and columns of the whole matrix.
  std::int64_t m() const { return layout_.m(); }
  std::int64_t n() const { return layout_.n(); }

  /// This rank's position on the layout's grid; nullopt if this rank is outside the grid.
  std::optional<GridPosition> position() const {
    return layout_.grid().position(communicator_.rank());
  }
  std::int64_t local_rows() const { return local_.rows; }
  std::int64_t local_columns() const { return local_.columns; }
  std::int64_t leading_dimension() const { return local_.leading_dimension; }
  /// The first element of this rank's part. The matrix owns the memory, unless it was made by
  /// wrap() or is a view. The host must not touch a part in a device's memory.
  T* data() { return local_.data; }
  const T* data() const { return local_.data; }

  /// This rank's part.
  LocalView<T> local() { return local_; }
  LocalView<const T> local() const { return local_; }
  /// The number of the CUDA device in whose memory this rank's part lies; nullopt if the host can
  /// touch the part.
  std::optional<int> device() const;
  /// True if every rank can read the parts of all other ranks on its node. The same on all ranks.
  bool is_readable_on_node() const { return readable_on_node_; }
  /// The part of another rank on this node. Its leading dimension is that rank's number of local
  /// rows. Reads must be synchronised with that rank. Requires is_readable_on_node().
  const T* part(int rank) const { return reinterpret_cast<const T*>(window_->direct(rank).data()); }

  /// An element of this rank's part; the indices are not checked.
  T& operator()(Local<Row> i, Local<Column> j) { return local_(i.value, j.value); }
  const T& operator()(Local<Row> i, Local<Column> j) const { return local_(i.value, j.value); }

  /// Sets element (i, j) to value(i, j) for all elements that this rank holds. Not collective.
  template <std::invocable<Global<Row>, Global<Column>> F>
  void fill(F&& value) {
    fill_columns([&value](Global<Column> j) {
      return [&value, j](Global<Row> i) { return static_cast<T>(value(i, j)); };
    });
  }

  /// Sets pseudo-random elements, with real and imaginary parts uniform in [-1, 1). They depend on
  /// seed, i and j, but not on the layout. Not collective.
  void fill_random(std::uint64_t seed);

 protected:
  Matrix(const Communicator& communicator, const Layout& layout, LocalView<T> local)
      : communicator_(communicator), layout_(layout), local_(local) {}

 private:
  /// Fills this rank's part run by run; `values_of_column(j)` returns the function of i.
  template <class ValuesOfColumn>
  void fill_columns(const ValuesOfColumn& values_of_column);
  /// Has this rank's part written: in the host's memory if it lies on a device, and then copied.
  void write_part(const std::function<void(const LocalView<T>& part)>& write);

  Communicator communicator_;
  Layout layout_;
  // The part lies in the first of these that there is, else in memory of the caller.
  std::unique_ptr<T, FreeAligned> memory_;
  std::shared_ptr<detail::DeviceMemory> memory_on_device_;
  std::optional<Window> window_;  // shared memory
  bool readable_on_node_ = false;
  LocalView<T> local_;
};

template <MatrixElement T>
template <class ValuesOfColumn>
void Matrix<T>::fill_columns(const ValuesOfColumn& values_of_column) {
  const auto here = position();
  if (!here || local_.rows == 0) return;  // the columns may be too many to go through
  const auto& rows = layout_.rows();
  write_part([&](const LocalView<T>& part) {
    for (Local<Column> j; j.value < part.columns; ++j) {
      const auto value = values_of_column(layout_.columns().global(here->column, j));
      T* const column = part.column(j.value);
      for (Local<Row> i; i.value < part.rows;) {
        const Global<Row> run = rows.global(here->row, i);
        const std::int64_t length = rows.run_end(run) - run;
        for (std::int64_t step = 0; step < length; ++step)
          column[i.value + step] = value(run + step);
        i += length;
      }
    }
  });
}

extern template class Matrix<float>;
extern template class Matrix<double>;
extern template class Matrix<std::complex<float>>;
extern template class Matrix<std::complex<double>>;

/// A submatrix: m rows from row i on and n columns from column j on of a matrix. It refers to the
/// memory of that matrix, which must outlive it. A view is an m×n matrix in the layout that
/// Layout::slice() gives. Every function that takes a matrix takes a view; elements outside the
/// view are neither read nor written. Not collective, but every rank must make the same view.
///
///   multiply(1.0, view(A, Global<Row>(8), Global<Column>(0), 64, 32), B, 0.0, C, gemm);
template <MatrixElement T>
class CUBOID_API MatrixView : public Matrix<T> {
 public:
  /// Throws Error(invalid_argument) for a block outside the matrix.
  MatrixView(Matrix<T>& whole, const BlockRange& block) : MatrixView(whole, whole.data(), block) {}

  /// A view that is only read. Throws as above.
  static const MatrixView of(const Matrix<T>& whole, const BlockRange& block) {
    // The const_cast is safe: a constant view gives no way to write the elements.
    return MatrixView(whole, const_cast<T*>(whole.data()), block);
  }

 private:
  MatrixView(const Matrix<T>& whole, T* data, const BlockRange& block);
};

extern template class MatrixView<float>;
extern template class MatrixView<double>;
extern template class MatrixView<std::complex<float>>;
extern template class MatrixView<std::complex<double>>;

namespace detail {
inline BlockRange block_from(Global<Row> i, Global<Column> j, std::int64_t m, std::int64_t n) {
  // An end that does not fit into 64 bits is outside any matrix.
  const auto end = [](std::int64_t begin, std::int64_t extent) {
    std::int64_t sum = 0;
    const bool fits = !__builtin_add_overflow(begin, extent, &sum);
    return fits ? sum : std::numeric_limits<std::int64_t>::max();
  };
  return {{i, Global<Row>(end(i.value, m))}, {j, Global<Column>(end(j.value, n))}};
}
}  // namespace detail

/// A view of the m rows from row i on and the n columns from column j on. Throws as MatrixView.
template <MatrixElement T>
MatrixView<T> view(Matrix<T>& whole, Global<Row> i, Global<Column> j, std::int64_t m,
                   std::int64_t n) {
  return {whole, detail::block_from(i, j, m, n)};
}
/// A view that is only read. Throws as MatrixView.
template <MatrixElement T>
const MatrixView<T> view(const Matrix<T>& whole, Global<Row> i, Global<Column> j, std::int64_t m,
                         std::int64_t n) {
  return MatrixView<T>::of(whole, detail::block_from(i, j, m, n));
}

/// An operand op(A): a matrix or a view, transpose(A) or conjugate_transpose(A). It refers to the
/// matrix, which the caller owns.
template <MatrixElement T>
struct CUBOID_API Operand {
  Op op;
  const Matrix<T>& matrix;

  Operand(const Matrix<T>& as_it_is) : op(Op::none), matrix(as_it_is) {}
  Operand(Op applied, const Matrix<T>& to) : op(applied), matrix(to) {}

  /// Rows and columns of op(A).
  std::int64_t m() const { return op == Op::none ? matrix.m() : matrix.n(); }
  std::int64_t n() const { return op == Op::none ? matrix.n() : matrix.m(); }
};

/// The operand Aᵀ. Nothing is copied; A must outlive it.
template <MatrixElement T>
Operand<T> transpose(const Matrix<T>& A) {
  return {Op::transpose, A};
}

/// The operand Aᴴ. Nothing is copied; A must outlive it.
template <MatrixElement T>
Operand<T> conjugate_transpose(const Matrix<T>& A) {
  return {Op::conjugate_transpose, A};
}

}  // namespace cuboid
