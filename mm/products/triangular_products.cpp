#include <cuboid/error.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/triangular_products.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/local_views.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/products/rank_update.hpp"
#include "mm/products/sided_product.hpp"

#include <complex>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

[[noreturn]] void refuse_operands(const char* name, const std::string& message) {
  throw Error(ErrorCode::invalid_argument, fmt::format("{}: {}", name, message));
}

/// Multiplies by multiply(), which plans each product and caches plans of equal products.
template <MatrixElement T>
Multiplier<T> by_multiply(const LocalGemm& gemm, const MultiplyOptions& options) {
  return {gemm, options, [](const ProductLayouts&) {},
          [&](T alpha, const Operand<T>& A, const Operand<T>& B, T beta, Matrix<T>& C) {
            multiply<T>(alpha, A, B, beta, C, gemm, options);
          }};
}

/// Throws if a rank's part of the written matrix shares memory with one that is read. Collective.
template <MatrixElement T, class... Reads>
void require_apart(const char* name, const Matrix<T>& written, const Reads&... read) {
  if (!(same_communicator(written.communicator(), read.communicator()) && ...))
    refuse_operands(name, "the matrices have different communicators: make all with the same one");
  collective_try(written.communicator(), [&] {
    if (!(overlap<T>(read.local(), written.local()) || ...)) return;
    refuse_operands(
        name, fmt::format("rank {}: the matrix that is written shares memory with one that is "
                          "read: give it memory of its own",
                          written.communicator().rank()));
  });
}

template <MatrixElement T>
void update(const char* name, Op mirror, Triangle triangle, Op op, T alpha, const Matrix<T>& A,
            const Matrix<T>* B, T beta, Matrix<T>& C, const LocalGemm& gemm,
            const MultiplyOptions& options) {
  if (is_complex<T> && op != Op::none && op != mirror)
    refuse_operands(name, fmt::format("op {} of a complex matrix: give none or {}", to_string(op),
                                      to_string(mirror)));
  const auto rows = [op](const Matrix<T>& factor) {
    return op == Op::none ? factor.m() : factor.n();
  };
  const Matrix<T>& other = B == nullptr ? A : *B;
  if (C.m() != C.n() || rows(A) != C.n() || other.m() != A.m() || other.n() != A.n()) {
    refuse_operands(
        name,
        fmt::format("A is {}x{}, {}C {}x{}: C must be square and op(A) have as many rows", A.m(),
                    A.n(), B == nullptr ? "" : fmt::format("B {}x{}, ", B->m(), B->n()), C.m(),
                    C.n()));
  }
  require_apart<T>(name, C, A, other);
  HostMirror<T> of_a(A), of_c(C);
  std::optional<HostMirror<T>> of_b;
  if (B != nullptr) of_b.emplace(*B);
  of_c.fetch();
  RankUpdate<T> update(triangle, op, mirror, alpha, of_a.get(), of_b ? &of_b->get() : nullptr, beta,
                       of_c.get());
  const Multiplier<T> multiplier = by_multiply<T>(gemm, options);
  update.prepare(multiplier);
  update.run(multiplier);
  of_c.give_back();
}

template <MatrixElement T>
void require_fitting(const char* name, MatrixSide side, const Matrix<T>& A, const Matrix<T>& B) {
  const bool left = side == MatrixSide::left;
  if (A.m() == A.n() && (left ? B.m() : B.n()) == A.n()) return;
  refuse_operands(
      name, fmt::format("A is {}x{} and B {}x{}: A must be square and as large as B has {}", A.m(),
                        A.n(), B.m(), B.n(), left ? "rows" : "columns"));
}

template <MatrixElement T>
void symmetric_product(const char* name, Op mirror, MatrixSide side, Triangle triangle, T alpha,
                       const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                       const LocalGemm& gemm, const MultiplyOptions& options) {
  require_fitting(name, side, A, B);
  if (B.m() != C.m() || B.n() != C.n()) {
    refuse_operands(name, fmt::format("B is {}x{} and C {}x{}: give matrices of the same shape",
                                      B.m(), B.n(), C.m(), C.n()));
  }
  require_apart<T>(name, C, A, B);
  HostMirror<T> of_a(A), of_b(B), of_c(C);
  if (beta != T(0)) of_c.fetch();
  SymmetricProduct<T> product(side, triangle, mirror, alpha, of_a.get(), of_b.get(), beta,
                              of_c.get());
  const Multiplier<T> multiplier = by_multiply<T>(gemm, options);
  product.prepare(multiplier);
  product.run(multiplier);
  of_c.give_back();
}

}  // namespace

template <MatrixElement T>
void syrk(Triangle triangle, Op op, std::type_identity_t<T> alpha, const Matrix<T>& A,
          std::type_identity_t<T> beta, Matrix<T>& C, const LocalGemm& gemm,
          const MultiplyOptions& options) {
  update<T>("syrk", Op::transpose, triangle, op, alpha, A, nullptr, beta, C, gemm, options);
}

template <MatrixElement T>
void herk(Triangle triangle, Op op, RealOf<T> alpha, const Matrix<T>& A, RealOf<T> beta,
          Matrix<T>& C, const LocalGemm& gemm, const MultiplyOptions& options) {
  update<T>("herk", Op::conjugate_transpose, triangle, op, T(alpha), A, nullptr, T(beta), C, gemm,
            options);
}

template <MatrixElement T>
void syr2k(Triangle triangle, Op op, std::type_identity_t<T> alpha, const Matrix<T>& A,
           const Matrix<T>& B, std::type_identity_t<T> beta, Matrix<T>& C, const LocalGemm& gemm,
           const MultiplyOptions& options) {
  update<T>("syr2k", Op::transpose, triangle, op, alpha, A, &B, beta, C, gemm, options);
}

template <MatrixElement T>
void her2k(Triangle triangle, Op op, std::type_identity_t<T> alpha, const Matrix<T>& A,
           const Matrix<T>& B, RealOf<T> beta, Matrix<T>& C, const LocalGemm& gemm,
           const MultiplyOptions& options) {
  update<T>("her2k", Op::conjugate_transpose, triangle, op, alpha, A, &B, T(beta), C, gemm,
            options);
}

template <MatrixElement T>
void symm(MatrixSide side, Triangle triangle, std::type_identity_t<T> alpha, const Matrix<T>& A,
          const Matrix<T>& B, std::type_identity_t<T> beta, Matrix<T>& C, const LocalGemm& gemm,
          const MultiplyOptions& options) {
  symmetric_product<T>("symm", Op::transpose, side, triangle, alpha, A, B, beta, C, gemm, options);
}

template <MatrixElement T>
void hemm(MatrixSide side, Triangle triangle, std::type_identity_t<T> alpha, const Matrix<T>& A,
          const Matrix<T>& B, std::type_identity_t<T> beta, Matrix<T>& C, const LocalGemm& gemm,
          const MultiplyOptions& options) {
  symmetric_product<T>("hemm", Op::conjugate_transpose, side, triangle, alpha, A, B, beta, C, gemm,
                       options);
}

template <MatrixElement T>
void trmm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal,
          std::type_identity_t<T> alpha, const Matrix<T>& A, Matrix<T>& B, const LocalGemm& gemm,
          const MultiplyOptions& options) {
  require_fitting("trmm", side, A, B);
  require_apart<T>("trmm", B, A);
  HostMirror<T> of_a(A), of_b(B);
  of_b.fetch();
  TriangularProduct<T> product(side, triangle, op, diagonal, alpha, of_a.get(), of_b.get());
  const Multiplier<T> multiplier = by_multiply<T>(gemm, options);
  product.prepare(multiplier);
  product.run(multiplier);
  of_b.give_back();
}

#define CUBOID_INSTANTIATE(T)                                                                     \
  template void syrk(Triangle, Op, T, const Matrix<T>&, T, Matrix<T>&, const LocalGemm&,          \
                     const MultiplyOptions&);                                                     \
  template void herk<T>(Triangle, Op, RealOf<T>, const Matrix<T>&, RealOf<T>, Matrix<T>&,         \
                        const LocalGemm&, const MultiplyOptions&);                                \
  template void syr2k(Triangle, Op, T, const Matrix<T>&, const Matrix<T>&, T, Matrix<T>&,         \
                      const LocalGemm&, const MultiplyOptions&);                                  \
  template void her2k(Triangle, Op, T, const Matrix<T>&, const Matrix<T>&, RealOf<T>, Matrix<T>&, \
                      const LocalGemm&, const MultiplyOptions&);                                  \
  template void symm(MatrixSide, Triangle, T, const Matrix<T>&, const Matrix<T>&, T, Matrix<T>&,  \
                     const LocalGemm&, const MultiplyOptions&);                                   \
  template void hemm(MatrixSide, Triangle, T, const Matrix<T>&, const Matrix<T>&, T, Matrix<T>&,  \
                     const LocalGemm&, const MultiplyOptions&);                                   \
  template void trmm(MatrixSide, Triangle, Op, Diagonal, T, const Matrix<T>&, Matrix<T>&,         \
                     const LocalGemm&, const MultiplyOptions&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
