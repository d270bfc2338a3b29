#include "bindings/scalapack/symm.hpp"

#include "bindings/scalapack/by_side.hpp"
#include "bindings/scalapack/scalar.hpp"
#include "bindings/scalapack/submatrix_view.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/triangles/triangles.hpp"

#include <cstdint>
#include <optional>

namespace cuboid::detail::scalapack {

template <MatrixElement T>
void symm(Symm<T>* beneath, Op mirror, const char* side, const char* uplo, const int* m,
          const int* n, const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,
          const T* B, const int* ib, const int* jb, const int* desc_b, const T* beta, T* C,
          const int* ic, const int* jc, const int* desc_c) {
  const auto hand_on = [&] {
    beneath(side, uplo, m, n, alpha, A, ia, ja, desc_a, B, ib, jb, desc_b, beta, C, ic, jc, desc_c);
  };
  const auto stands = side_of(*side);
  const auto triangle = triangle_of(*uplo);
  if (!stands || !triangle || *alpha == T(0)) return hand_on();
  const bool left = *stands == MatrixSide::left;
  const int order = left ? *m : *n;
  if (hands_on_product(*m, *n, order)) return hand_on();
  const Submatrix part_a{MatrixDescriptor::read(desc_a), *ia, *ja, order, order};
  const Submatrix part_b{MatrixDescriptor::read(desc_b), *ib, *jb, *m, *n};
  const Submatrix part_c{MatrixDescriptor::read(desc_c), *ic, *jc, *m, *n};
  std::optional<Matrix<T>> whole;
  const auto plan = [&](Context& context) -> MultiplicationPlan<T>& {
    const Layout a = layout_of(part_a, context.ranks), b = layout_of(part_b, context.ranks);
    const Layout c = layout_of(part_c, context.ranks);
    return context.plans.get<T>(context.ours(), layouts_by_side(*stands, a, Op::none, b, c),
                                local_gemm(context.ours()));
  };
  serve_parts(
      {part_a, part_b, part_c},
      {.routine = Routine::symm,
       .type = letter<T>(),
       .extents = {logarithm(*m), logarithm(*n), -1},
       .block = logarithm(part_c.descriptor.row_block),
       .transposed = !left},
      [&](Context& context) {
        plan(context);
        const auto a = view_of(context.ours(), context.ranks, part_a, A);
        require_apart<T>(view_of(context.ours(), context.ranks, part_c, C), a,
                         view_of(context.ours(), context.ranks, part_b, B));
        whole = mirrored<T>(a, *triangle, mirror);
      },
      [&](Context& context) {
        const auto b = view_of(context.ours(), context.ranks, part_b, B);
        auto c = view_of(context.ours(), context.ranks, part_c, C);
        multiply_by_side<T>(plan(context), *stands, *alpha, *whole, b, *beta, c);
      },
      hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                                  \
  template void symm(Symm<T>*, Op, const char*, const char*, const int*, const int*, const T*, \
                     const T*, const int*, const int*, const int*, const T*, const int*,       \
                     const int*, const int*, const T*, T*, const int*, const int*, const int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
