#include <cuboid/qr.hpp>

#include "bindings/c/matrix_handles.hpp"

using namespace cuboid::detail::c;
using cuboid::MatrixSide;
using cuboid::QrFactorisation;

struct cuboid_qr_factorisation_s {
  OfAnyType<QrFactorisation> factors;
};

namespace {

/// Calls `use` with the factors, of any element type.
template <class Use>
int with_qr(cuboid_qr_factorisation qr, const Use& use) {
  return guarded([&] { std::visit(use, required(qr, "the factorisation").factors); });
}

}  // namespace

int cuboid_qr(cuboid_matrix a, cuboid_qr_factorisation* qr) {
  return guarded([&] {
    std::visit(
        [&](const auto& A) {
          give(qr, "the pointer to a factorisation", [&] {
            return new cuboid_qr_factorisation_s{cuboid::qr(A, kernels_of(A.communicator()))};
          });
        },
        matrix_of(a));
  });
}

int cuboid_qr_free(cuboid_qr_factorisation* qr) {
  return free_handle(qr);
}

int cuboid_qr_type(cuboid_qr_factorisation qr, cuboid_datatype* type) {
  return guarded([&] {
    required(type, "the pointer to a type") = type_in(required(qr, "the factorisation").factors);
  });
}

int cuboid_qr_info(cuboid_qr_factorisation qr, int64_t* info) {
  return with_qr(
      qr, [&](const auto& factors) { required(info, "the pointer to info") = factors.info(); });
}

int cuboid_qr_is_finite(cuboid_qr_factorisation qr, int* finite) {
  return with_qr(qr, [&](const auto& factors) {
    required(finite, "the pointer to an answer") = factors.is_finite() ? 1 : 0;
  });
}

int cuboid_qr_taus(cuboid_qr_factorisation qr, const void** taus, size_t* count) {
  return with_qr(qr, [&](const auto& factors) {
    required(taus, "the pointer to tau") = factors.taus().data();
    if (count != nullptr) *count = factors.taus().size();
  });
}

int cuboid_qr_copy(cuboid_qr_factorisation qr, cuboid_matrix factors) {
  return with_qr(qr, [&](const auto& made) {
    made.copy_to(of_type<matrix_element_of<decltype(made)>>(factors));
  });
}

int cuboid_qr_copy_q(cuboid_qr_factorisation qr, cuboid_matrix q) {
  return with_qr(
      qr, [&](const auto& made) { made.copy_q_to(of_type<matrix_element_of<decltype(made)>>(q)); });
}

int cuboid_qr_copy_r(cuboid_qr_factorisation qr, cuboid_matrix r) {
  return with_qr(
      qr, [&](const auto& made) { made.copy_r_to(of_type<matrix_element_of<decltype(made)>>(r)); });
}

int cuboid_qr_apply(cuboid_qr_factorisation qr, enum cuboid_op op, enum cuboid_side side,
                    cuboid_matrix c) {
  return with_qr(qr, [&](const auto& made) {
    made.apply_q(op_of(op), one_of(side, MatrixSide::left, MatrixSide::right, "side"),
                 of_type<matrix_element_of<decltype(made)>>(c));
  });
}

int cuboid_qr_least_squares(cuboid_qr_factorisation qr, cuboid_matrix b, cuboid_matrix x) {
  return with_qr(qr, [&](const auto& made) {
    using T = matrix_element_of<decltype(made)>;
    made.least_squares(of_type<T>(b), of_type<T>(x));
  });
}

int cuboid_least_squares(cuboid_matrix a, cuboid_matrix b, cuboid_matrix x) {
  return guarded([&] {
    std::visit(
        [&](const auto& A) {
          using T = matrix_element_of<decltype(A)>;
          cuboid::least_squares(A, of_type<T>(b), of_type<T>(x), kernels_of(A.communicator()));
        },
        matrix_of(a));
  });
}
