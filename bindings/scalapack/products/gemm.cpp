#include "bindings/scalapack/products/gemm.hpp"

#include <cuboid/multiply.hpp>

#include "bindings/scalapack/calls/scalar.hpp"
#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>

namespace cuboid::detail::scalapack {

namespace {

/// sub(C) = α·op(sub(A))·op(sub(B)) + β·sub(C), for arguments that Cuboid can serve.
template <MatrixElement T>
struct Product {
  Op op_a;
  Op op_b;
  T alpha;
  Submatrix part_a;
  const T* A;
  Submatrix part_b;
  const T* B;
  T beta;
  Submatrix part_c;
  T* C;
  int k;

  CallClass its_class() const {
    return {.routine = Routine::gemm,
            .type = letter<T>(),
            .extents = {logarithm(part_c.rows), logarithm(part_c.columns), logarithm(k)},
            .block = logarithm(part_c.descriptor.row_block),
            .transposed = op_a != Op::none || op_b != Op::none};
  }

  MultiplicationPlan<T>& plan(Context& context) const {
    const ProductLayouts layouts = {layout_of(part_a, context.ranks), op_a,
                                    layout_of(part_b, context.ranks), op_b,
                                    layout_of(part_c, context.ranks)};
    return context.plans.get<T>(context.ours(), layouts, local_gemm(context.ours()));
  }

  void prepare(Context& context) const {
    plan(context);
    const Communicator& ours = context.ours();
    require_apart<T>(view_of(ours, context.ranks, part_c, C),
                     view_of(ours, context.ranks, part_a, A),
                     view_of(ours, context.ranks, part_b, B));
  }

  void run(Context& context) const {
    const Communicator& ours = context.ours();
    MatrixView<T> c = view_of(ours, context.ranks, part_c, C);
    plan(context).run(alpha, view_of(ours, context.ranks, part_a, A),
                      view_of(ours, context.ranks, part_b, B), beta, c);
  }
};

}  // namespace

template <MatrixElement T>
void gemm(Gemm<T>* native, const char* trans_a, const char* trans_b, const int* m, const int* n,
          const int* k, const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,
          const T* B, const int* ib, const int* jb, const int* desc_b, const T* beta, T* C,
          const int* ic, const int* jc, const int* desc_c) {
  const auto hand_on = [&] {
    native(trans_a, trans_b, m, n, k, alpha, A, ia, ja, desc_a, B, ib, jb, desc_b, beta, C, ic, jc,
           desc_c);
  };
  if (hands_on_product(*m, *n, *k) || *alpha == T(0)) return hand_on();
  const auto op_a = op_of(*trans_a), op_b = op_of(*trans_b);
  if (!op_a || !op_b) return hand_on();
  const auto part = [](Op op, const int* desc, const int* i, const int* j, int rows, int columns) {
    if (op != Op::none) std::swap(rows, columns);
    return Submatrix{MatrixDescriptor::read(desc), *i, *j, rows, columns};
  };
  const Product<T> product = {*op_a,
                              *op_b,
                              *alpha,
                              part(*op_a, desc_a, ia, ja, *m, *k),
                              A,
                              part(*op_b, desc_b, ib, jb, *k, *n),
                              B,
                              *beta,
                              part(Op::none, desc_c, ic, jc, *m, *n),
                              C,
                              *k};
  serve_parts(
      {product.part_a, product.part_b, product.part_c}, product.its_class(),
      [&](Context& context) { return product.plan(context).predicted_seconds(); },
      [&](Context& context) { product.prepare(context); },
      [&](Context& context) { product.run(context); }, hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                                      \
  template void gemm(Gemm<T>*, const char*, const char*, const int*, const int*, const int*,       \
                     const T*, const T*, const int*, const int*, const int*, const T*, const int*, \
                     const int*, const int*, const T*, T*, const int*, const int*, const int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
