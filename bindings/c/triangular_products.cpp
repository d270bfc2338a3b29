#include <cuboid/triangular_products.hpp>

#include "bindings/c/matrix_handles.hpp"

#include <complex>
#include <variant>

using namespace cuboid::detail::c;

namespace {

cuboid::Triangle triangle_of(const cuboid_triangle& triangle) {
  return one_of(triangle, cuboid::Triangle::lower, cuboid::Triangle::upper, "triangle");
}
cuboid::MatrixSide side_of(const cuboid_side& side) {
  return one_of(side, cuboid::MatrixSide::left, cuboid::MatrixSide::right, "side");
}

/// Calls `product` with the matrix `a`, of any element type, and the local gemm of its ranks.
template <class Product>
int with_gemm(cuboid_matrix a, const Product& product) {
  return guarded([&] {
    std::visit([&](const auto& A) { product(A, gemm_of(A.communicator())); }, matrix_of(a));
  });
}

}  // namespace

int cuboid_syrk(enum cuboid_triangle triangle, enum cuboid_op op, const void* alpha,
                cuboid_matrix a, const void* beta, cuboid_matrix c) {
  return with_gemm(a, [&](const auto& A, const cuboid::LocalGemm& gemm) {
    using T = matrix_element_of<decltype(A)>;
    cuboid::syrk(triangle_of(triangle), op_of(op), scalar<T>(alpha), A, scalar<T>(beta),
                 of_type<T>(c), gemm);
  });
}

int cuboid_herk(enum cuboid_triangle triangle, enum cuboid_op op, const void* alpha,
                cuboid_matrix a, const void* beta, cuboid_matrix c) {
  return with_gemm(a, [&](const auto& A, const cuboid::LocalGemm& gemm) {
    using T = matrix_element_of<decltype(A)>;
    cuboid::herk<T>(triangle_of(triangle), op_of(op), std::real(scalar<T>(alpha)), A,
                    std::real(scalar<T>(beta)), of_type<T>(c), gemm);
  });
}

int cuboid_syr2k(enum cuboid_triangle triangle, enum cuboid_op op, const void* alpha,
                 cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c) {
  return with_gemm(a, [&](const auto& A, const cuboid::LocalGemm& gemm) {
    using T = matrix_element_of<decltype(A)>;
    cuboid::syr2k(triangle_of(triangle), op_of(op), scalar<T>(alpha), A, of_type<T>(b),
                  scalar<T>(beta), of_type<T>(c), gemm);
  });
}

int cuboid_her2k(enum cuboid_triangle triangle, enum cuboid_op op, const void* alpha,
                 cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c) {
  return with_gemm(a, [&](const auto& A, const cuboid::LocalGemm& gemm) {
    using T = matrix_element_of<decltype(A)>;
    cuboid::her2k<T>(triangle_of(triangle), op_of(op), scalar<T>(alpha), A, of_type<T>(b),
                     std::real(scalar<T>(beta)), of_type<T>(c), gemm);
  });
}

int cuboid_symm(enum cuboid_side side, enum cuboid_triangle triangle, const void* alpha,
                cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c) {
  return with_gemm(a, [&](const auto& A, const cuboid::LocalGemm& gemm) {
    using T = matrix_element_of<decltype(A)>;
    cuboid::symm(side_of(side), triangle_of(triangle), scalar<T>(alpha), A, of_type<T>(b),
                 scalar<T>(beta), of_type<T>(c), gemm);
  });
}

int cuboid_hemm(enum cuboid_side side, enum cuboid_triangle triangle, const void* alpha,
                cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c) {
  return with_gemm(a, [&](const auto& A, const cuboid::LocalGemm& gemm) {
    using T = matrix_element_of<decltype(A)>;
    cuboid::hemm(side_of(side), triangle_of(triangle), scalar<T>(alpha), A, of_type<T>(b),
                 scalar<T>(beta), of_type<T>(c), gemm);
  });
}

int cuboid_trmm(enum cuboid_side side, enum cuboid_triangle triangle, enum cuboid_op op,
                enum cuboid_diagonal diagonal, const void* alpha, cuboid_matrix a,
                cuboid_matrix b) {
  return with_gemm(a, [&](const auto& A, const cuboid::LocalGemm& gemm) {
    using cuboid::Diagonal;
    using T = matrix_element_of<decltype(A)>;
    cuboid::trmm(side_of(side), triangle_of(triangle), op_of(op),
                 one_of(diagonal, Diagonal::stored, Diagonal::unit, "diagonal"), scalar<T>(alpha),
                 A, of_type<T>(b), gemm);
  });
}
