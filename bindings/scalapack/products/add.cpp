#include "bindings/scalapack/products/add.hpp"

#include <cuboid/redistribute.hpp>

#include "bindings/scalapack/calls/scalar.hpp"
#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>

namespace cuboid::detail::scalapack {

namespace {

/// sub(C) = α·op(sub(A)) + β·sub(C), for arguments that Cuboid can serve.
template <MatrixElement T>
struct Sum {
  Op op;
  T alpha;
  Submatrix part_a;
  const T* A;
  T beta;
  Submatrix part_c;
  T* C;

  CallClass its_class() const {
    return {.routine = Routine::add,
            .type = letter<T>(),
            .extents = {logarithm(part_c.rows), logarithm(part_c.columns), -1},
            .block = logarithm(part_c.descriptor.row_block),
            .transposed = op != Op::none};
  }

  void prepare(const Context& context) const {
    const Communicator& ours = context.ours();
    require_apart<T>(view_of(ours, context.ranks, part_c, C),
                     view_of(ours, context.ranks, part_a, A));
  }

  void run(const Context& context) const {
    const Communicator& ours = context.ours();
    const Matrix<T> a = view_of(ours, context.ranks, part_a, A);
    MatrixView<T> c = view_of(ours, context.ranks, part_c, C);
    RedistributionPlan<T>(ours, a.layout(), op, c.layout()).run(alpha, a, beta, c);
  }
};

template <MatrixElement T, class HandOn>
void add(std::optional<Op> op, const int* m, const int* n, const T* alpha, const T* A,
         const int* ia, const int* ja, const int* desc_a, const T* beta, T* C, const int* ic,
         const int* jc, const int* desc_c, const HandOn& hand_on) {
  if (hands_on_move(*m, *n) || *alpha == T(0) || !op) return hand_on();
  const Sum<T> sum = {*op,
                      *alpha,
                      {MatrixDescriptor::read(desc_a), *ia, *ja, *op == Op::none ? *m : *n,
                       *op == Op::none ? *n : *m},
                      A,
                      *beta,
                      {MatrixDescriptor::read(desc_c), *ic, *jc, *m, *n},
                      C};
  serve_parts(
      {sum.part_a, sum.part_c}, sum.its_class(), [&](Context& context) { sum.prepare(context); },
      [&](Context& context) { sum.run(context); }, hand_on);
}

}  // namespace

template <MatrixElement T>
void tran(Tran<T>* native, Op op, const int* m, const int* n, const T* alpha, const T* A,
          const int* ia, const int* ja, const int* desc_a, const T* beta, T* C, const int* ic,
          const int* jc, const int* desc_c) {
  add(std::optional(op), m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c,
      [&] { native(m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c); });
}

template <MatrixElement T>
void geadd(Geadd<T>* native, const char* trans, const int* m, const int* n, const T* alpha,
           const T* A, const int* ia, const int* ja, const int* desc_a, const T* beta, T* C,
           const int* ic, const int* jc, const int* desc_c) {
  add(op_of(*trans), m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c,
      [&] { native(trans, m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c); });
}

#define CUBOID_INSTANTIATE(T)                                                                   \
  template void tran(Tran<T>*, Op, const int*, const int*, const T*, const T*, const int*,      \
                     const int*, const int*, const T*, T*, const int*, const int*, const int*); \
  template void geadd(Geadd<T>*, const char*, const int*, const int*, const T*, const T*,       \
                      const int*, const int*, const int*, const T*, T*, const int*, const int*, \
                      const int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
