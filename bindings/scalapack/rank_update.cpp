#include "bindings/scalapack/rank_update.hpp"

#include "bindings/scalapack/scalar.hpp"
#include "bindings/scalapack/submatrix_view.hpp"
#include "mm/triangles/triangles.hpp"

#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

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

/// An operand of an update: n×k, or k×n if the update transposes it.
template <MatrixElement T>
struct Factor {
  Submatrix part;
  const T* data;
};

/// sub(C) = α·op(A)·op(B)ᵀ + α·op(B)·op(A)ᵀ + β·sub(C) in one triangle, or without B α·op(A)·op(A)ᵀ
/// + β·sub(C). A diagonal block is computed completely in separate memory, the rest of the triangle
/// in place.
template <MatrixElement T>
class RankUpdate {
 public:
  RankUpdate(Triangle triangle, Op op, Op mirror, T alpha, Factor<T> A, std::optional<Factor<T>> B,
             T beta, Submatrix part_c, T* C)
      : triangle_(triangle),
        transposes_(op != Op::none),
        mirror_(mirror),
        alpha_(alpha),
        A_(A),
        B_(B),
        beta_(beta),
        part_c_(part_c),
        C_(C) {
    const int n = part_c.rows, block = part_c.descriptor.row_block;
    const int half = n < worth_cutting || block < 1 ? 0 : n / 2 / block * block;
    const Range first{0, half}, second{half, n - half};
    blocks_.push_back({second, second, true});
    if (half == 0) return;
    blocks_.push_back({first, first, true});
    const bool lower = triangle == Triangle::lower;
    blocks_.push_back({lower ? second : first, lower ? first : second, false});
  }

  void prepare(Context& context) {
    const auto view_of_factor = [&](const Factor<T>& factor) {
      return view_of(context.ours(), context.ranks, factor.part, factor.data);
    };
    require_apart<T>(view_of(context.ours(), context.ranks, part_c_, C_), view_of_factor(A_),
                     view_of_factor(B_.value_or(A_)));
    for (const Block& block : blocks_) {
      plan(context, A_, B_.value_or(A_), block);
      if (B_) plan(context, *B_, A_, block);
      if (block.on_diagonal) sums_.push_back(room_like<T>(view_of_block(context, block)));
    }
  }

  void run(Context& context) {
    auto sum = sums_.begin();
    for (const Block& block : blocks_) {
      auto c = view_of_block(context, block);
      if (!block.on_diagonal) {
        multiply(context, block, beta_, c);
        continue;
      }
      multiply(context, block, T(0), *sum);
      add_triangle(triangle_, T(1), *sum++, beta_, static_cast<Matrix<T>&>(c));
      if (mirror_ == Op::conjugate_transpose) make_diagonal_real(static_cast<Matrix<T>&>(c));
    }
  }

 private:
  /// Smaller triangles are computed by one product; cutting them brings no gain.
  static constexpr int worth_cutting = 1024;

  struct Range {
    int begin;
    int length;
  };
  struct Block {
    Range rows;
    Range columns;
    bool on_diagonal;
  };

  Submatrix part_of(Submatrix whole, const Range& range) const {
    (transposes_ ? whole.j : whole.i) += range.begin;
    (transposes_ ? whole.columns : whole.rows) = range.length;
    return whole;
  }
  Submatrix part_of_c(const Block& block) const {
    return {part_c_.descriptor, part_c_.i + block.rows.begin, part_c_.j + block.columns.begin,
            block.rows.length, block.columns.length};
  }
  MatrixView<T> view_of_block(const Context& context, const Block& block) const {
    return view_of(context.ours(), context.ranks, part_of_c(block), C_);
  }

  MultiplicationPlan<T>& plan(Context& context, const Factor<T>& left, const Factor<T>& right,
                              const Block& block) const {
    const ProductLayouts layouts{
        layout_of(part_of(left.part, block.rows), context.ranks), transposes_ ? mirror_ : Op::none,
        layout_of(part_of(right.part, block.columns), context.ranks),
        transposes_ ? Op::none : mirror_, layout_of(part_of_c(block), context.ranks)};
    return context.plans.get<T>(context.ours(), layouts, local_gemm(context.ours()));
  }

  /// target = α·…  + β·target
  void multiply(Context& context, const Block& block, T beta, Matrix<T>& target) const {
    const auto product = [&](T alpha, const Factor<T>& left, const Factor<T>& right, T scale) {
      const auto part = [&](const Factor<T>& factor, const Range& range) {
        return view_of(context.ours(), context.ranks, part_of(factor.part, range), factor.data);
      };
      plan(context, left, right, block)
          .run(alpha, part(left, block.rows), part(right, block.columns), scale, target);
    };
    product(alpha_, A_, B_.value_or(A_), beta);
    const bool conjugates = mirror_ == Op::conjugate_transpose;
    if (B_) product(conjugates ? conjugate(alpha_) : alpha_, *B_, A_, T(1));
  }

  Triangle triangle_;
  bool transposes_;
  Op mirror_;
  T alpha_;
  Factor<T> A_;
  std::optional<Factor<T>> B_;
  T beta_;
  Submatrix part_c_;
  T* C_;
  std::vector<Block> blocks_;
  std::vector<Matrix<T>> sums_;
};

/// One of the four routines. For p?syrk, the descriptor of the second factor is null.
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
  RankUpdate<T> call(*triangle, *op, mirror, alpha, a, b, beta, part_c, C);
  serve_parts(
      {a.part, b.value_or(a).part, part_c},
      {.routine = b ? Routine::syr2k : Routine::syrk,
       .type = letter<T>(),
       .extents = {logarithm(n), logarithm(k), -1},
       .block = logarithm(part_c.descriptor.row_block),
       .transposed = *op != Op::none},
      [&](Context& context) { call.prepare(context); },
      [&](Context& context) { call.run(context); }, hand_on);
}

}  // namespace

template <MatrixElement T, class Scalar>
void syrk(Syrk<T, Scalar>* beneath, Op mirror, const char* uplo, const char* trans, const int* n,
          const int* k, const Scalar* alpha, const T* A, const int* ia, const int* ja,
          const int* desc_a, const Scalar* beta, T* C, const int* ic, const int* jc,
          const int* desc_c) {
  update<T>(mirror, *uplo, *trans, *n, *k, T(*alpha), A, *ia, *ja, desc_a, nullptr, 1, 1, nullptr,
            T(*beta), C, *ic, *jc, desc_c,
            [&] { beneath(uplo, trans, n, k, alpha, A, ia, ja, desc_a, beta, C, ic, jc, desc_c); });
}

template <MatrixElement T, class Scalar>
void syr2k(Syr2k<T, Scalar>* beneath, Op mirror, const char* uplo, const char* trans, const int* n,
           const int* k, const T* alpha, const T* A, const int* ia, const int* ja,
           const int* desc_a, const T* B, const int* ib, const int* jb, const int* desc_b,
           const Scalar* beta, T* C, const int* ic, const int* jc, const int* desc_c) {
  update<T>(mirror, *uplo, *trans, *n, *k, *alpha, A, *ia, *ja, desc_a, B, *ib, *jb, desc_b,
            T(*beta), C, *ic, *jc, desc_c, [&] {
              beneath(uplo, trans, n, k, alpha, A, ia, ja, desc_a, B, ib, jb, desc_b, beta, C, ic,
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
