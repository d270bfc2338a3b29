#include "bindings/scalapack/products/rank_update.hpp"

#include "bindings/scalapack/calls/scalar.hpp"
#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "bindings/scalapack/products/cached_multiplier.hpp"
#include "mm/products/rank_update.hpp"

#include <complex>
#include <optional>

namespace cuboid::detail::scalapack {

namespace {

/// The op that TRANS names for p?syrk and the like; nullopt for values that they reject.
/// @param mirror  for real matrices, both values have the same meaning.
template <MatrixElement T>
std::optional<Op> op_of_update(char trans, Op mirror) {
  const auto op = op_of(trans);
  const bool refused = is_complex<T> && op && *op != Op::none && *op != mirror;
  return refused ? std::nullopt : op;
}

/// A factor of an update: n×k, or k×n if the update transposes it.
template <MatrixElement T>
struct Factor {
  Submatrix part;
  const T* data;

  const MatrixView<T> in(const Context& context) const {
    return view_of(context.ours(), context.ranks, part, data);
  }
};

/// The matrices of a call in the program's memory, and the operation on them.
template <MatrixElement T>
struct UpdateOfViews {
  const MatrixView<T> A, B;
  MatrixView<T> C;
  RankUpdate<T> update;

  /// @param b  for p?syrk it is `a`.
  UpdateOfViews(const Context& context, Triangle triangle, Op op, Op mirror, T alpha,
                const Factor<T>& a, const std::optional<Factor<T>>& b, T beta,
                const Submatrix& part_c, T* c)
      : A(a.in(context)),
        B(b.value_or(a).in(context)),
        C(view_of(context.ours(), context.ranks, part_c, c)),
        update(triangle, op, mirror, alpha, A, b ? &B : nullptr, beta, C) {}
};

/// Carries one of the four routines. For p?syrk, the descriptor of the second factor is null.
template <MatrixElement T, class HandOn>
void update(Op mirror, char uplo, char trans, int n, int k, T alpha, const T* A, int ia, int ja,
            const int* desc_a, const T* B, int ib, int jb, const int* desc_b, T beta, T* C, int ic,
            int jc, const int* desc_c, const HandOn& hand_on) {
  const auto triangle = triangle_of(uplo);
  const auto op = op_of_update<T>(trans, mirror);
  if (hands_on_product(n, n, k, 2) || !triangle || !op || alpha == T(0)) return hand_on();
  const auto factor = [&](const int* desc, int i, int j, const T* data) {
    const bool plain = *op == Op::none;
    return Factor<T>{{MatrixDescriptor::read(desc), i, j, plain ? n : k, plain ? k : n}, data};
  };
  const Factor<T> a = factor(desc_a, ia, ja, A);
  const auto b = desc_b == nullptr ? std::nullopt : std::optional(factor(desc_b, ib, jb, B));
  const Submatrix part_c{MatrixDescriptor::read(desc_c), ic, jc, n, n};
  std::optional<UpdateOfViews<T>> call;
  serve_parts(
      {a.part, b.value_or(a).part, part_c},
      {.routine = b ? Routine::syr2k : Routine::syrk,
       .type = letter<T>(),
       .extents = {logarithm(n), logarithm(k), -1},
       .block = logarithm(part_c.descriptor.row_block),
       .transposed = *op != Op::none},
      [&](Context& context) {
        call.emplace(context, *triangle, *op, mirror, alpha, a, b, beta, part_c, C);
        require_apart<T>(call->C, call->A, call->B);
        call->update.prepare(cached_multiplier<T>(context));
      },
      [&](Context& context) { call->update.run(cached_multiplier<T>(context)); }, hand_on);
}

}  // namespace

template <MatrixElement T, class Scalar>
void syrk(Syrk<T, Scalar>* native, Op mirror, const char* uplo, const char* trans, const int* n,
          const int* k, const Scalar* alpha, const T* A, const int* ia, const int* ja,
          const int* desc_a, const Scalar* beta, T* C, const int* ic, const int* jc,
          const int* desc_c) {
  update<T>(mirror, *uplo, *trans, *n, *k, T(*alpha), A, *ia, *ja, desc_a, nullptr, 1, 1, nullptr,
            T(*beta), C, *ic, *jc, desc_c,
            [&] { native(uplo, trans, n, k, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c); });
}

template <MatrixElement T, class Scalar>
void syr2k(Syr2k<T, Scalar>* native, Op mirror, const char* uplo, const char* trans, const int* n,
           const int* k, const T* alpha, const T* A, const int* ia, const int* ja,
           const int* desc_a, const T* B, const int* ib, const int* jb, const int* desc_b,
           const Scalar* beta, T* C, const int* ic, const int* jc, const int* desc_c) {
  update<T>(mirror, *uplo, *trans, *n, *k, *alpha, A, *ia, *ja, desc_a, B, *ib, *jb, desc_b,
            T(*beta), C, *ic, *jc, desc_c, [&] {
              native(uplo, trans, n, k, alpha, A, ia, ja, desc_a, B, ib, jb, desc_b, beta, C, ic,
                     jc, desc_c);
            });
}

#define CUBOID_INSTANTIATE(T, SCALAR)                                                            \
  template void syrk(Syrk<T, SCALAR>*, Op, const char*, const char*, const int*, const int*,     \
                     const SCALAR*, const T*, const int*, const int*, const int*, const SCALAR*, \
                     T*, const int*, const int*, const int*);                                    \
  template void syr2k(Syr2k<T, SCALAR>*, Op, const char*, const char*, const int*, const int*,   \
                      const T*, const T*, const int*, const int*, const int*, const T*,          \
                      const int*, const int*, const int*, const SCALAR*, T*, const int*,         \
                      const int*, const int*)
CUBOID_INSTANTIATE(float, float);
CUBOID_INSTANTIATE(double, double);
CUBOID_INSTANTIATE(std::complex<float>, std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>, std::complex<double>);
CUBOID_INSTANTIATE(std::complex<float>, float);
CUBOID_INSTANTIATE(std::complex<double>, double);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
