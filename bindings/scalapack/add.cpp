#include "bindings/scalapack/add.hpp"

#include "bindings/scalapack/scalar.hpp"
#include "bindings/scalapack/serve.hpp"
#include "bindings/scalapack/served_matrix.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>

namespace cuboid::detail::scalapack {

namespace {

/// C ← α·A + β·C within this rank, as BLAS has it: β = 0 does not read C.
template <MatrixElement T>
void add_locally(T alpha, LocalView<const T> A, T beta, LocalView<T> C) {
  for (std::int64_t j = 0; j < C.columns; ++j) {
    const T* const from = A.column(j);
    T* const to = C.column(j);
    if (beta == T(0)) {
      for (std::int64_t i = 0; i < C.rows; ++i) to[i] = alpha * from[i];
    } else {
      for (std::int64_t i = 0; i < C.rows; ++i) to[i] = alpha * from[i] + beta * to[i];
    }
  }
}

/// This rank's part of a submatrix, whether it lies in blocks or not.
template <MatrixElement T>
LocalView<T> local_part(const Context& context, const Submatrix& part, T* data) {
  const Descriptor& all = part.descriptor;
  const Layout layout = layout_of_all(all, context.ranks);
  const BlockRange range = range_of(part);
  const auto rows = layout.rows().local_range(context.grid.row, range.rows);
  const auto columns = layout.columns().local_range(context.grid.column, range.columns);
  return {data + rows.begin.value + columns.begin.value * all.leading_dimension, rows.extent(),
          columns.extent(), all.leading_dimension};
}

/// sub(C) = α·op(sub(A)) + β·sub(C), with arguments that are served.
template <MatrixElement T>
struct Sum {
  Op op;
  T alpha;
  Submatrix part_a;
  const T* A;
  T beta;
  Submatrix part_c;
  T* C;

  CallClass its_class(const BlacsGrid& grid) const {
    return {.routine = Routine::add,
            .type = letter<T>(),
            .grid = {grid.rows, grid.columns},
            .extents = {logarithm(part_c.rows), logarithm(part_c.columns), -1},
            .block = logarithm(part_c.descriptor.row_block),
            .transposed = op != Op::none};
  }

  /// op(sub(A)) travels into memory that is laid out as the whole of C is, so that A and C may be
  /// the same matrix.
  void run(const Context& context) const {
    const Communicator& ours = context.ours();
    const Matrix<T> source = whole_matrix(context, part_a.descriptor, A);
    const BlockRange range = range_of(part_c);
    const LocalView<T> here = local_part(context, part_c, C);
    const Layout layout = arrival(context.ranks);
    Matrix<T> arrived = collective_try(ours, [&] { return Matrix<T>(ours, layout); });
    const Global<Row> i(range.rows.begin.value %
                        period(part_c.descriptor.row_block, context.grid.rows));
    const Global<Column> j(range.columns.begin.value %
                           period(part_c.descriptor.column_block, context.grid.columns));
    redistribute(op, source, range_of(part_a), arrived, i, j);
    const auto rows = layout.rows().local_range(context.grid.row, {i, i + part_c.rows});
    const auto columns = layout.columns().local_range(context.grid.column, {j, j + part_c.columns});
    add_locally<T>(alpha,
                   arrived.local().block(rows.begin.value, columns.begin.value, rows.extent(),
                                         columns.extent()),
                   beta, here);
  }

 private:
  static std::int64_t period(std::int64_t block, int processes) { return block * processes; }

  /// That of C from the last round of blocks before sub(C) on, so that every rank gets what it
  /// owns.
  Layout arrival(const GridShape& ranks) const {
    const Descriptor& all = part_c.descriptor;
    const std::int64_t i = (part_c.i - 1) % period(all.row_block, ranks.rows());
    const std::int64_t j = (part_c.j - 1) % period(all.column_block, ranks.columns());
    return Layout::block_cyclic(i + part_c.rows, j + part_c.columns, all.row_block,
                                all.column_block, ranks, {all.row_source, all.column_source});
  }
};

template <MatrixElement T, class HandOn>
void add(std::optional<Op> op, const int* m, const int* n, const T* alpha, const T* A,
         const int* ia, const int* ja, const int* desc_a, const T* beta, T* C, const int* ic,
         const int* jc, const int* desc_c, const HandOn& hand_on) {
  const Settings& said = settings();
  const bool little = *m < 1 || *n < 1 || static_cast<std::int64_t>(*m) * *n < said.floor_elements;
  if (little || said.mode == Settings::Mode::off || *alpha == T(0) || !op) return hand_on();
  const Sum<T> sum = {
      *op,
      *alpha,
      {Descriptor::read(desc_a), *ia, *ja, *op == Op::none ? *m : *n, *op == Op::none ? *n : *m},
      A,
      *beta,
      {Descriptor::read(desc_c), *ic, *jc, *m, *n},
      C};
  const int number = sum.part_a.descriptor.context;
  const BlacsGrid grid = grid_of(number);
  if (!grid.has_this_process() || !is_served(sum.part_a, number, grid) ||
      !is_served(sum.part_c, number, grid))
    return hand_on();
  Context* const context = context_of(number, grid);
  if (context == nullptr) return hand_on();
  serve(
      *context, sum.its_class(grid), [] { return 0.0; }, [&] { sum.run(*context); }, hand_on);
}

}  // namespace

template <MatrixElement T>
void tran(Tran<T>* beneath, Op op, const int* m, const int* n, const T* alpha, const T* A,
          const int* ia, const int* ja, const int* desc_a, const T* beta, T* C, const int* ic,
          const int* jc, const int* desc_c) {
  add(std::optional(op), m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c,
      [&] { beneath(m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c); });
}

template <MatrixElement T>
void geadd(Geadd<T>* beneath, const char* trans, const int* m, const int* n, const T* alpha,
           const T* A, const int* ia, const int* ja, const int* desc_a, const T* beta, T* C,
           const int* ic, const int* jc, const int* desc_c) {
  add(op_of(*trans), m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c,
      [&] { beneath(trans, m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c); });
}

#define CUBOID_INSTANTIATE(T)                                                                   \
  template void tran(Tran<T>*, Op, const int*, const int*, const T*, const T*, const int*,      \
                     const int*, const int*, const T*, T*, const int*, const int*, const int*); \
  template void geadd(Geadd<T>*, const char*, const int*, const int*, const T*, const T*,       \
                      const int*, const int*, const int*, const T*, T*, const int*, const int*, \
                      const int*)
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
