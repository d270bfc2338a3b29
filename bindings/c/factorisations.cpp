#include <cuboid/elementwise.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/mixed_precision.hpp>
#include <cuboid/norms.hpp>

#include "bindings/c/matrix_handles.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

using namespace cuboid::detail::c;
using cuboid::LuFactorisation;
using cuboid::Matrix;

struct cuboid_factorisation_s {
  OfAnyType<LuFactorisation> factors;
};

namespace {

cuboid::FactoriseOptions options_of(const cuboid_pivoting& pivoting) {
  using cuboid::Pivoting;
  switch (number_of(pivoting)) {
    case CUBOID_PIVOTING_TOURNAMENT: return {.pivoting = Pivoting::tournament};
    case CUBOID_PIVOTING_PARTIAL: return {.pivoting = Pivoting::partial};
    case CUBOID_PIVOTING_NONE: return {.pivoting = Pivoting::none};
  }
  refuse("pivoting: give CUBOID_PIVOTING_TOURNAMENT, _PARTIAL or _NONE");
}

/// The triangle that a call names; nullopt: the whole matrix.
std::optional<cuboid::Triangle> meant(const cuboid_triangle& triangle) {
  switch (number_of(triangle)) {
    case CUBOID_LOWER: return cuboid::Triangle::lower;
    case CUBOID_UPPER: return cuboid::Triangle::upper;
    case CUBOID_WHOLE: return std::nullopt;
  }
  refuse("triangle: give CUBOID_LOWER, CUBOID_UPPER or CUBOID_WHOLE");
}

cuboid::Norm norm_of(const cuboid_norm_kind& kind) {
  using cuboid::Norm;
  constexpr std::array kinds = {Norm::one, Norm::infinity, Norm::frobenius, Norm::maximum};
  const int number = number_of(kind);
  if (number < CUBOID_NORM_ONE || number > CUBOID_NORM_MAXIMUM)
    refuse("norm: give CUBOID_NORM_ONE, _INFINITY, _FROBENIUS or _MAXIMUM");
  return kinds[static_cast<std::size_t>(number)];
}

/// Calls `use` with the factors, of any element type.
template <class Use>
int with_factors(cuboid_factorisation factorisation, const Use& use) {
  return guarded([&] { std::visit(use, required(factorisation, "the factorisation").factors); });
}

/// Makes a factorisation of a matrix of any type.
template <class Make>
int create(cuboid_matrix a, cuboid_factorisation* factorisation, const Make& make) {
  return guarded([&] {
    std::visit(
        [&](const auto& A) {
          give(factorisation, "the pointer to a factorisation",
               [&] { return new cuboid_factorisation_s{make(A, kernels_of(A.communicator()))}; });
        },
        matrix_of(a));
  });
}

}  // namespace

int cuboid_factorise(cuboid_matrix a, enum cuboid_pivoting pivoting,
                     cuboid_factorisation* factorisation) {
  return create(a, factorisation, [&](const auto& A, const cuboid::LocalKernels& kernels) {
    return cuboid::factorise(A, kernels, options_of(pivoting));
  });
}

int cuboid_cholesky(cuboid_matrix a, cuboid_factorisation* factorisation) {
  return create(a, factorisation, [](const auto& A, const cuboid::LocalKernels& kernels) {
    return cuboid::cholesky(A, kernels);
  });
}

int cuboid_factorisation_free(cuboid_factorisation* factorisation) {
  return free_handle(factorisation);
}

int cuboid_factorisation_type(cuboid_factorisation factorisation, cuboid_datatype* type) {
  return guarded([&] {
    required(type, "the pointer to a type") =
        type_in(required(factorisation, "the factorisation").factors);
  });
}

int cuboid_factorisation_info(cuboid_factorisation factorisation, int64_t* info) {
  return with_factors(factorisation, [&](const auto& factors) {
    required(info, "the pointer to info") = factors.info();
  });
}

int cuboid_factorisation_is_finite(cuboid_factorisation factorisation, int* finite) {
  return with_factors(factorisation, [&](const auto& factors) {
    required(finite, "the pointer to an answer") = factors.is_finite() ? 1 : 0;
  });
}

int cuboid_factorisation_pivots(cuboid_factorisation factorisation, const int64_t** pivots,
                                size_t* count) {
  return with_factors(factorisation, [&](const auto& factors) {
    required(pivots, "the pointer to the pivots") = factors.pivots().data();
    if (count != nullptr) *count = factors.pivots().size();
  });
}

int cuboid_factorisation_copy(cuboid_factorisation factorisation, cuboid_matrix factors) {
  return with_factors(factorisation, [&](const auto& made) {
    made.copy_to(of_type<matrix_element_of<decltype(made)>>(factors));
  });
}

int cuboid_factorisation_solve(cuboid_factorisation factorisation, enum cuboid_op op,
                               cuboid_matrix b) {
  return with_factors(factorisation, [&](const auto& factors) {
    factors.solve(of_type<matrix_element_of<decltype(factors)>>(b), op_of(op));
  });
}

int cuboid_factorisation_inverse(cuboid_factorisation factorisation, cuboid_matrix x) {
  return with_factors(factorisation, [&](const auto& factors) {
    factors.inverse(of_type<matrix_element_of<decltype(factors)>>(x));
  });
}

int cuboid_factorisation_determinant(cuboid_factorisation factorisation, void* sign,
                                     double* logarithm_of_size) {
  return with_factors(factorisation, [&](const auto& factors) {
    using T = matrix_element_of<decltype(factors)>;
    const auto determinant = factors.determinant();
    required(static_cast<T*>(sign), "the pointer to the sign") = determinant.sign;
    required(logarithm_of_size, "the pointer to the logarithm") = determinant.logarithm_of_size;
  });
}

int cuboid_factorisation_reciprocal_condition(cuboid_factorisation factorisation,
                                              double* reciprocal) {
  return cuboid_factorisation_reciprocal_condition_in_norm(factorisation, CUBOID_NORM_ONE,
                                                           reciprocal);
}

int cuboid_factorisation_reciprocal_condition_in_norm(cuboid_factorisation factorisation,
                                                      enum cuboid_norm_kind kind,
                                                      double* reciprocal) {
  return with_factors(factorisation, [&](const auto& factors) {
    required(reciprocal, "the pointer to the condition") =
        static_cast<double>(factors.reciprocal_condition(norm_of(kind)));
  });
}

int cuboid_solve(cuboid_matrix a, cuboid_matrix b) {
  return guarded([&] {
    std::visit(
        [&](const auto& A) {
          cuboid::solve(A, of_type<matrix_element_of<decltype(A)>>(b),
                        kernels_of(A.communicator()));
        },
        matrix_of(a));
  });
}

int cuboid_solve_mixed(cuboid_matrix a, cuboid_matrix b, enum cuboid_matrix_class matrix_class,
                       enum cuboid_mixed_method* method, int* steps) {
  using cuboid::MatrixClass;
  return guarded([&] {
    const auto solve = [&](const auto& A) {
      using T = matrix_element_of<decltype(A)>;
      if constexpr (cuboid::DoublePrecision<T>) {
        cuboid::MixedPrecisionOptions options;
        options.matrix = one_of(matrix_class, MatrixClass::general, MatrixClass::positive_definite,
                                "matrix class");
        const cuboid::MixedPrecisionOutcome outcome =
            cuboid::solve_mixed(A, of_type<T>(b), kernels_of(A.communicator()), options);
        if (method != nullptr) *method = static_cast<cuboid_mixed_method>(outcome.method);
        if (steps != nullptr) *steps = outcome.steps;
      } else {
        refuse("solve_mixed: matrices of single precision; use cuboid_solve()");
      }
    };
    std::visit(solve, matrix_of(a));
  });
}

int cuboid_norm(enum cuboid_norm_kind kind, cuboid_matrix a, double* norm) {
  return guarded([&] {
    const cuboid::Norm which = norm_of(kind);
    double& result = required(norm, "the pointer to the norm");
    result = std::visit([&](const auto& A) { return cuboid::norm(which, A); }, matrix_of(a));
  });
}

int cuboid_laset(enum cuboid_triangle triangle, const void* off_diagonal, const void* diagonal,
                 cuboid_matrix a) {
  return guarded([&] {
    std::visit(
        [&](auto& A) {
          using T = matrix_element_of<decltype(A)>;
          cuboid::laset(meant(triangle), scalar<T>(off_diagonal), scalar<T>(diagonal), A);
        },
        matrix_of(a));
  });
}

int cuboid_lacpy(enum cuboid_triangle triangle, cuboid_matrix a, cuboid_matrix b) {
  return guarded([&] {
    std::visit(
        [&](const auto& A) {
          cuboid::lacpy(meant(triangle), A, of_type<matrix_element_of<decltype(A)>>(b));
        },
        matrix_of(a));
  });
}

int cuboid_lascl(enum cuboid_triangle triangle, double divisor, double factor, cuboid_matrix a) {
  return guarded([&] {
    std::visit([&](auto& A) { cuboid::lascl(meant(triangle), divisor, factor, A); }, matrix_of(a));
  });
}

int cuboid_refine(cuboid_factorisation factorisation, cuboid_matrix a, cuboid_matrix b,
                  cuboid_matrix x, int steps) {
  return with_factors(factorisation, [&](const auto& factors) {
    using T = matrix_element_of<decltype(factors)>;
    const Matrix<T>& A = of_type<T>(a);
    cuboid::refine(factors, A, of_type<T>(b), of_type<T>(x), steps, kernels_of(A.communicator()));
  });
}

int cuboid_trsm(enum cuboid_side side, enum cuboid_triangle triangle, enum cuboid_op op,
                enum cuboid_diagonal diagonal, const void* alpha, cuboid_matrix a,
                cuboid_matrix b) {
  using cuboid::Diagonal;
  using cuboid::MatrixSide;
  using cuboid::Triangle;
  return guarded([&] {
    std::visit(
        [&](const auto& A) {
          using T = matrix_element_of<decltype(A)>;
          cuboid::trsm(one_of(side, MatrixSide::left, MatrixSide::right, "side"),
                       one_of(triangle, Triangle::lower, Triangle::upper, "triangle"), op_of(op),
                       one_of(diagonal, Diagonal::stored, Diagonal::unit, "diagonal"),
                       scalar<T>(alpha), A, of_type<T>(b), kernels_of(A.communicator()));
        },
        matrix_of(a));
  });
}

int cuboid_trtri(enum cuboid_triangle triangle, enum cuboid_diagonal diagonal, cuboid_matrix a) {
  using cuboid::Diagonal;
  using cuboid::Triangle;
  return guarded([&] {
    std::visit(
        [&](auto& A) {
          cuboid::trtri(one_of(triangle, Triangle::lower, Triangle::upper, "triangle"),
                        one_of(diagonal, Diagonal::stored, Diagonal::unit, "diagonal"), A,
                        kernels_of(A.communicator()));
        },
        matrix_of(a));
  });
}
