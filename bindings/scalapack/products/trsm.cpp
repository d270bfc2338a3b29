#include "bindings/scalapack/products/trsm.hpp"

#include <cuboid/factorise.hpp>

#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "mm/matrix/element_types.hpp"

#include <complex>
#include <cstdint>

namespace cuboid::detail::scalapack {

namespace {

/// Each call makes a new plan. Triangles of fewer rows, such as those of a factorisation's panels,
/// are handed on to the native routine.
constexpr int least_order = 512;

bool is_little(int order, int m, int n) {
  const bool forced = settings().mode == ScalapackSettings::Mode::force;
  return hands_on_product(m, n, order, 2) || (order < least_order && !forced);
}

}  // namespace

std::optional<TriangularCall> TriangularCall::read(const char* side, const char* uplo,
                                                   const char* trans, const char* diag,
                                                   const int* m, const int* n, const int* ia,
                                                   const int* ja, const int* desc_a, const int* ib,
                                                   const int* jb, const int* desc_b) {
  const auto stands = side_of(*side);
  const auto triangle = triangle_of(*uplo);
  const auto op = op_of(*trans);
  const auto diagonal = diagonal_of(*diag);
  if (!stands || !triangle || !op || !diagonal) return std::nullopt;
  const int order = *stands == MatrixSide::left ? *m : *n;
  return TriangularCall{*stands,
                        *triangle,
                        *op,
                        *diagonal,
                        order,
                        {MatrixDescriptor::read(desc_a), *ia, *ja, order, order},
                        {MatrixDescriptor::read(desc_b), *ib, *jb, *m, *n}};
}

template <MatrixElement T>
void trsm(Trsm<T>* native, const char* side, const char* uplo, const char* trans, const char* diag,
          const int* m, const int* n, const T* alpha, const T* A, const int* ia, const int* ja,
          const int* desc_a, T* B, const int* ib, const int* jb, const int* desc_b) {
  const auto hand_on = [&] {
    native(side, uplo, trans, diag, m, n, alpha, A, ia, ja, desc_a, B, ib, jb, desc_b);
  };
  const auto call =
      TriangularCall::read(side, uplo, trans, diag, m, n, ia, ja, desc_a, ib, jb, desc_b);
  if (!call || *alpha == T(0) || is_little(call->order, *m, *n)) return hand_on();
  const auto a = [&](Context& context) {
    return view_of(context.ours(), context.ranks, call->a, A);
  };
  const auto b = [&](Context& context) {
    return view_of(context.ours(), context.ranks, call->b, B);
  };
  serve_parts(
      {call->a, call->b},
      {.routine = Routine::trsm,
       .type = letter<T>(),
       .extents = {logarithm(*m), logarithm(*n), -1},
       .block = logarithm(call->a.descriptor.row_block),
       .transposed = call->side == MatrixSide::right},
      [&](Context& context) {
        local_kernels(context.ours());
        require_apart<T>(b(context), a(context));
      },
      [&](Context& context) {
        MatrixView<T> right_hand_sides = b(context);
        cuboid::trsm<T>(call->side, call->triangle, call->op, call->diagonal, *alpha, a(context),
                        right_hand_sides, local_kernels(context.ours()));
      },
      hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                                  \
  template void trsm(Trsm<T>*, const char*, const char*, const char*, const char*, const int*, \
                     const int*, const T*, const T*, const int*, const int*, const int*, T*,   \
                     const int*, const int*, const int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
