#include "mm/verify/vector_block.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

/// The global indices that a process stores, in local order.
template <class Dimension>
std::vector<std::int64_t> held_indices(const BlockCyclic<Dimension>& distribution, int process) {
  std::vector<std::int64_t> indices;
  const std::int64_t count = distribution.local_extent(process);
  for (Local<Dimension> i; i.value < count; ++i) {
    indices.push_back(distribution.global(process, i).value);
  }
  return indices;
}

/// Calls visit(i, j, element), with global indices, for this rank's elements in column-major order.
template <MatrixElement T, class Visit>
void for_each_element(const Matrix<T>& matrix, const Visit& visit) {
  const auto here = matrix.position();
  if (!here) return;
  const auto rows = held_indices(matrix.layout().rows(), here->row);
  const auto columns = held_indices(matrix.layout().columns(), here->column);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const T* const column = matrix.local().column(static_cast<std::int64_t>(j));
    for (std::size_t i = 0; i < rows.size(); ++i) visit(rows[i], columns[j], column[i]);
  }
}

template <class P>
void add_product(P factor, const std::array<P, VectorBlock<P>::vectors>& x,
                 std::array<P, VectorBlock<P>::vectors>& y) {
  for (std::size_t v = 0; v < x.size(); ++v) {
    if constexpr (std::is_same_v<P, long double>) {
      y[v] += factor * x[v];
    } else {
      // The product is written out because operator* of std::complex checks every product for NaN.
      y[v] += P(factor.real() * x[v].real() - factor.imag() * x[v].imag(),
                factor.real() * x[v].imag() + factor.imag() * x[v].real());
    }
  }
}

template <MatrixElement T>
long double squared(T value) {
  if constexpr (is_complex<T>) {
    return squared(value.real()) + squared(value.imag());
  } else {
    return static_cast<long double>(value) * static_cast<long double>(value);
  }
}

/// The norms of the stored matrix's rows if of_rows, else of its columns; `weights` belong to the
/// other dimension.
template <MatrixElement T>
std::vector<long double> stored_norms(const Matrix<T>& M, bool of_rows,
                                      std::span<const long double> weights) {
  std::vector<long double> norms(static_cast<std::size_t>(of_rows ? M.m() : M.n()), 0.0L);
  for_each_element(M, [&](std::int64_t i, std::int64_t j, T value) {
    if (!is_finite(value)) return;
    const auto kept = static_cast<std::size_t>(of_rows ? i : j);
    const auto summed = static_cast<std::size_t>(of_rows ? j : i);
    const long double weight = weights.empty() ? 1.0L : weights[summed];
    norms[kept] += squared(value) * weight * weight;
  });
  allreduce(M.communicator(), norms, norms, Reduction::Kind::sum);
  std::ranges::transform(norms, norms.begin(), [](long double sum) { return std::sqrt(sum); });
  return norms;
}

/// Flags of the stored matrix's rows if of_rows, else of its columns.
template <MatrixElement T>
Flags stored_specials(const Matrix<T>& M, bool of_rows) {
  Flags flags(static_cast<std::size_t>(of_rows ? M.m() : M.n()), 0);
  for_each_element(M, [&](std::int64_t i, std::int64_t j, T value) {
    if (!is_finite(value)) flags[static_cast<std::size_t>(of_rows ? i : j)] = 1;
  });
  allreduce(M.communicator(), flags, flags, Reduction::Kind::maximum);
  return flags;
}

}  // namespace

template <MatrixElement T>
VectorBlock<Precise<T>> multiply_vectors(const Operand<T>& M, const VectorBlock<Precise<T>>& x) {
  using P = Precise<T>;
  VectorBlock<P> y(M.m());
  switch (M.op) {
    case Op::none:
      for_each_element(M.matrix, [&](std::int64_t i, std::int64_t j, T value) {
        if (is_finite(value)) add_product(P(value), x[j], y[i]);
      });
      break;
    case Op::transpose:
      for_each_element(M.matrix, [&](std::int64_t i, std::int64_t j, T value) {
        if (is_finite(value)) add_product(P(value), x[i], y[j]);
      });
      break;
    case Op::conjugate_transpose:
      for_each_element(M.matrix, [&](std::int64_t i, std::int64_t j, T value) {
        if (is_finite(value)) add_product(P(conjugate(value)), x[i], y[j]);
      });
      break;
  }
  allreduce(M.matrix.communicator(), y.parts(), y.parts(), Reduction::Kind::sum);
  return y;
}

template <MatrixElement T>
std::vector<long double> row_norms(const Operand<T>& M, std::span<const long double> weights) {
  return stored_norms(M.matrix, M.op == Op::none, weights);
}

template <MatrixElement T>
std::vector<long double> column_norms(const Operand<T>& M) {
  return stored_norms(M.matrix, M.op != Op::none, {});
}

template <MatrixElement T>
Flags special_rows(const Operand<T>& M) {
  return stored_specials(M.matrix, M.op == Op::none);
}

template <MatrixElement T>
Flags special_columns(const Operand<T>& M) {
  return stored_specials(M.matrix, M.op != Op::none);
}

#define CUBOID_INSTANTIATE(T)                                                                   \
  template VectorBlock<Precise<T>> multiply_vectors(const Operand<T>&,                          \
                                                    const VectorBlock<Precise<T>>&);            \
  template std::vector<long double> row_norms(const Operand<T>&, std::span<const long double>); \
  template std::vector<long double> column_norms(const Operand<T>&);                            \
  template Flags special_rows(const Operand<T>&);                                               \
  template Flags special_columns(const Operand<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
