#include "bindings/scalapack/products/trmm.hpp"

#include <cuboid/redistribute.hpp>

#include "bindings/scalapack/calls/scalar.hpp"
#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "bindings/scalapack/products/cached_multiplier.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/products/sided_product.hpp"
#include "mm/triangles/triangles.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace cuboid::detail::scalapack {

namespace {

/// The matrices of a call in the program's memory, and the operation on them.
template <MatrixElement T>
struct TriangularProductOfViews {
  MatrixView<T> A, B;
  TriangularProduct<T> product;

  TriangularProductOfViews(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal, T alpha,
                           MatrixView<T> a, MatrixView<T> b)
      : A(std::move(a)), B(std::move(b)), product(side, triangle, op, diagonal, alpha, A, B) {}
};

}  // namespace

template <MatrixElement T>
void trmm(Trmm<T>* native, const char* side, const char* uplo, const char* trans, const char* diag,
          const int* m, const int* n, const T* alpha, const T* A, const int* ia, const int* ja,
          const int* desc_a, T* B, const int* ib, const int* jb, const int* desc_b) {
  const auto hand_on = [&] {
    native(side, uplo, trans, diag, m, n, alpha, A, ia, ja, desc_a, B, ib, jb, desc_b);
  };
  const auto its =
      TriangularCall::read(side, uplo, trans, diag, m, n, ia, ja, desc_a, ib, jb, desc_b);
  if (!its || *alpha == T(0) || hands_on_product(*m, *n, its->order, 2)) return hand_on();
  std::optional<TriangularProductOfViews<T>> call;
  serve_parts(
      {its->a, its->b},
      {.routine = Routine::trmm,
       .type = letter<T>(),
       .extents = {logarithm(*m), logarithm(*n), -1},
       .block = logarithm(its->b.descriptor.row_block),
       .transposed = its->side == MatrixSide::right},
      [&](Context& context) {
        call.emplace(its->side, its->triangle, its->op, its->diagonal, *alpha,
                     view_of(context.ours(), context.ranks, its->a, A),
                     view_of(context.ours(), context.ranks, its->b, B));
        require_apart<T>(call->B, call->A);
        require_finite<T>(call->B);
        call->product.prepare(cached_multiplier<T>(context));
      },
      [&](Context& context) { call->product.run(cached_multiplier<T>(context)); }, hand_on);
}

template <MatrixElement T>
void tradd(Tradd<T>* native, const char* uplo, const char* trans, const int* m, const int* n,
           const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,
           const T* beta, T* C, const int* ic, const int* jc, const int* desc_c) {
  const auto hand_on = [&] {
    native(uplo, trans, m, n, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c);
  };
  const auto triangle = triangle_of(*uplo);
  const auto op = op_of(*trans);
  if (hands_on_move(*m, *n) || !triangle || !op || *alpha == T(0)) return hand_on();
  const bool plain = *op == Op::none;
  const Submatrix part_a{MatrixDescriptor::read(desc_a), *ia, *ja, plain ? *m : *n,
                         plain ? *n : *m};
  const Submatrix part_c{MatrixDescriptor::read(desc_c), *ic, *jc, *m, *n};
  std::optional<Matrix<T>> moved;
  serve_parts(
      {part_a, part_c},
      {.routine = Routine::add,
       .type = letter<T>(),
       .extents = {logarithm(*m), logarithm(*n), 0},
       .block = logarithm(part_c.descriptor.row_block),
       .transposed = !plain},
      [&](Context& context) {
        const auto c = view_of(context.ours(), context.ranks, part_c, C);
        require_apart<T>(c, view_of(context.ours(), context.ranks, part_a, A));
        moved = new_matrix_like<T>(c);
      },
      [&](Context& context) {
        const auto a = view_of(context.ours(), context.ranks, part_a, A);
        redistribute<T>(T(1), RedistributionSource<T>(*op, a), T(0), *moved);
        auto c = view_of(context.ours(), context.ranks, part_c, C);
        add_triangle(*triangle, *alpha, *moved, *beta, static_cast<Matrix<T>&>(c));
      },
      hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                                  \
  template void trmm(Trmm<T>*, const char*, const char*, const char*, const char*, const int*, \
                     const int*, const T*, const T*, const int*, const int*, const int*, T*,   \
                     const int*, const int*, const int*);                                      \
  template void tradd(Tradd<T>*, const char*, const char*, const int*, const int*, const T*,   \
                      const T*, const int*, const int*, const int*, const T*, T*, const int*,  \
                      const int*, const int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
