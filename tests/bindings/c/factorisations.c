#include "factorisations.h"

#include "check.h"

#include <math.h>

enum { N = 37, RIGHT_HAND_SIDES = 3 };

static const double one = 1;
static const double zero = 0;
static const double minus_one = -1;

static cuboid_matrix matrix(int64_t m, int64_t n, int64_t block, cuboid_communicator communicator) {
  struct cuboid_layout layout = {.m = 0};
  cuboid_matrix made = NULL;
  layout.m = m;
  layout.n = n;
  layout.row_block = block;
  layout.column_block = block;
  OK(cuboid_matrix_create(&layout, CUBOID_FLOAT64, communicator, &made));
  OK(cuboid_matrix_fill_random(made, (uint64_t)(m + n + block)));
  return made;
}

/* The largest element of this rank's part. */
static double largest(cuboid_matrix of) {
  double most = 0;
  void* data = NULL;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t leading = 0;
  int64_t i;
  int64_t j;
  OK(cuboid_matrix_part(of, &data, &rows, &columns, &leading));
  for (j = 0; j < columns; ++j)
    for (i = 0; i < rows; ++i) most = fmax(most, fabs(((double*)data)[i + j * leading]));
  return most;
}

/* Whether op(a) x = b. */
static void check_solution(cuboid_matrix a, enum cuboid_op op, cuboid_matrix x, cuboid_matrix b) {
  OK(cuboid_multiply(&minus_one, op, a, CUBOID_NONE, x, &one, b, NULL));
  CHECK(largest(b) < 1e-9);
}

/* Makes every element of this rank's part a NaN. */
static void spoil(cuboid_matrix of) {
  void* data = NULL;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t i;
  OK(cuboid_matrix_part(of, &data, &rows, &columns, NULL));
  for (i = 0; i < rows * columns; ++i) ((double*)data)[i] = NAN;
}

static void lu(cuboid_communicator communicator) {
  cuboid_matrix a = matrix(N, N, 5, communicator);
  cuboid_matrix b = matrix(N, RIGHT_HAND_SIDES, 0, communicator);
  cuboid_matrix x = matrix(N, RIGHT_HAND_SIDES, 0, communicator);
  cuboid_matrix c = matrix(N, N, 0, communicator);
  cuboid_factorisation factors = NULL;
  cuboid_datatype type = 0;
  const int64_t* pivots = NULL;
  size_t count = 0;
  int64_t info = -1;
  int finite = -1;
  double sign = 0;
  double logarithm = NAN;
  double condition = -1;
  double norm = -1;
  double inverse_norm = -1;
  enum cuboid_mixed_method method = CUBOID_MIXED_FULL_PRECISION;
  int steps = -1;
  size_t i;

  OK(cuboid_factorise(a, CUBOID_PIVOTING_PARTIAL, &factors));
  OK(cuboid_matrix_type(a, &type));
  CHECK(type == CUBOID_FLOAT64);
  OK(cuboid_factorisation_type(factors, &type));
  CHECK(type == CUBOID_FLOAT64);
  OK(cuboid_factorisation_info(factors, &info));
  CHECK(info == 0);
  OK(cuboid_factorisation_is_finite(factors, &finite));
  CHECK(finite == 1);
  OK(cuboid_factorisation_pivots(factors, &pivots, &count));
  CHECK(count == N);
  for (i = 0; i < count; ++i) CHECK(pivots[i] >= (int64_t)i && pivots[i] < N);
  OK(cuboid_factorisation_determinant(factors, &sign, &logarithm));
  CHECK(fabs(sign) == 1 && isfinite(logarithm));
  OK(cuboid_factorisation_reciprocal_condition(factors, &condition));
  CHECK(condition > 0 && condition < 1);
  OK(cuboid_factorisation_inverse(factors, c));
  OK(cuboid_norm(CUBOID_NORM_ONE, a, &norm));
  OK(cuboid_norm(CUBOID_NORM_ONE, c, &inverse_norm));
  CHECK(condition >= 0.99 / (norm * inverse_norm) && condition <= 3 / (norm * inverse_norm));
  OK(cuboid_factorisation_reciprocal_condition_in_norm(factors, CUBOID_NORM_INFINITY, &condition));
  OK(cuboid_norm(CUBOID_NORM_INFINITY, a, &norm));
  OK(cuboid_norm(CUBOID_NORM_INFINITY, c, &inverse_norm));
  CHECK(condition >= 0.99 / (norm * inverse_norm) && condition <= 3 / (norm * inverse_norm));
  CHECK(cuboid_factorisation_reciprocal_condition_in_norm(factors, CUBOID_NORM_MAXIMUM,
                                                          &condition) == CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_norm((enum cuboid_norm_kind)4, a, &norm) == CUBOID_INVALID_ARGUMENT);
  OK(cuboid_factorisation_copy(factors, c));
  CHECK(largest(c) > 0);

  OK(cuboid_factorisation_solve(factors, CUBOID_TRANSPOSE, x));
  check_solution(a, CUBOID_TRANSPOSE, x, b);
  OK(cuboid_redistribute(CUBOID_NONE, x, b));
  OK(cuboid_factorisation_solve(factors, CUBOID_NONE, x));
  OK(cuboid_refine(factors, a, b, x, 1));
  check_solution(a, CUBOID_NONE, x, b);
  OK(cuboid_factorisation_free(&factors));
  CHECK(factors == NULL);

  OK(cuboid_redistribute(CUBOID_NONE, x, b));
  OK(cuboid_solve(a, x));
  check_solution(a, CUBOID_NONE, x, b);
  OK(cuboid_redistribute(CUBOID_NONE, x, b));
  OK(cuboid_solve_mixed(a, x, CUBOID_GENERAL, &method, &steps));
  CHECK(method == CUBOID_MIXED_REFINEMENT && steps >= 0);
  check_solution(a, CUBOID_NONE, x, b);
  spoil(a);
  OK(cuboid_factorise(a, CUBOID_PIVOTING_PARTIAL, &factors));
  OK(cuboid_factorisation_is_finite(factors, &finite));
  CHECK(finite == 0);
  OK(cuboid_factorisation_free(&factors));
  CHECK(cuboid_factorise(b, (enum cuboid_pivoting)9, &factors) == CUBOID_INVALID_ARGUMENT);
  OK(cuboid_matrix_free(&a));
  OK(cuboid_matrix_free(&b));
  OK(cuboid_matrix_free(&x));
  OK(cuboid_matrix_free(&c));
}

/* s = a a^T is positive definite; with s = l l^T, l (l^T x) = b. */
static void cholesky(cuboid_communicator communicator) {
  cuboid_matrix a = matrix(N, N, 0, communicator);
  cuboid_matrix s = matrix(N, N, 4, communicator);
  cuboid_matrix l = matrix(N, N, 3, communicator);
  cuboid_matrix b = matrix(N, RIGHT_HAND_SIDES, 0, communicator);
  cuboid_matrix x = matrix(N, RIGHT_HAND_SIDES, 0, communicator);
  cuboid_factorisation factors = NULL;
  int64_t info = -1;
  OK(cuboid_multiply(&one, CUBOID_NONE, a, CUBOID_TRANSPOSE, a, &zero, s, NULL));
  OK(cuboid_cholesky(s, &factors));
  OK(cuboid_factorisation_info(factors, &info));
  CHECK(info == 0);
  OK(cuboid_factorisation_copy(factors, l));
  OK(cuboid_factorisation_free(&factors));
  OK(cuboid_trsm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_STORED_DIAGONAL, &one, l, x));
  OK(cuboid_trsm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_TRANSPOSE, CUBOID_STORED_DIAGONAL, &one, l, x));
  OK(cuboid_multiply(&minus_one, CUBOID_NONE, s, CUBOID_NONE, x, &one, b, NULL));
  CHECK(largest(b) < 1e-6);
  OK(cuboid_lacpy(CUBOID_LOWER, l, a)); /* l^-1 (l x) = x, in a, which stays triangular */
  OK(cuboid_laset(CUBOID_WHOLE, &zero, &one, l));
  OK(cuboid_trmm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_STORED_DIAGONAL, &one, a, l));
  OK(cuboid_trtri(CUBOID_LOWER, CUBOID_STORED_DIAGONAL, a));
  OK(cuboid_trmm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_STORED_DIAGONAL, &one, a, l));
  OK(cuboid_laset(CUBOID_WHOLE, &zero, &minus_one, a));
  OK(cuboid_redistribute_add(&one, CUBOID_NONE, l, &one, a));
  CHECK(largest(a) < 1e-6);
  OK(cuboid_matrix_fill_random(a, 5));
  OK(cuboid_multiply(&minus_one, CUBOID_NONE, a, CUBOID_TRANSPOSE, a, &zero, s, NULL));
  OK(cuboid_cholesky(s, &factors));
  OK(cuboid_factorisation_info(factors, &info));
  CHECK(info == 1);
  OK(cuboid_factorisation_free(&factors));
  OK(cuboid_matrix_free(&a));
  OK(cuboid_matrix_free(&s));
  OK(cuboid_matrix_free(&l));
  OK(cuboid_matrix_free(&b));
  OK(cuboid_matrix_free(&x));
}

/* Products with a triangle against products of full matrices: s and t differ in no element, as s
 * is symmetric. */
static void triangular_products(cuboid_communicator communicator) {
  cuboid_matrix a = matrix(N, N, 0, communicator);
  cuboid_matrix b = matrix(N, N, 3, communicator);
  cuboid_matrix s = matrix(N, N, 4, communicator);
  cuboid_matrix t = matrix(N, N, 4, communicator);
  OK(cuboid_multiply(&one, CUBOID_NONE, a, CUBOID_TRANSPOSE, a, &zero, s, NULL));
  OK(cuboid_redistribute(CUBOID_NONE, s, t));
  OK(cuboid_syrk(CUBOID_LOWER, CUBOID_NONE, &minus_one, a, &one, s));
  OK(cuboid_herk(CUBOID_UPPER, CUBOID_NONE, &minus_one, a, &zero, t));
  OK(cuboid_herk(CUBOID_UPPER, CUBOID_NONE, &one, a, &one, t));
  OK(cuboid_syrk(CUBOID_UPPER, CUBOID_NONE, &zero, a, &zero, s));
  CHECK(largest(s) < 1e-9);
  OK(cuboid_syr2k(CUBOID_LOWER, CUBOID_TRANSPOSE, &zero, a, b, &zero, t));
  OK(cuboid_her2k(CUBOID_UPPER, CUBOID_NONE, &zero, a, b, &zero, t));
  CHECK(largest(t) < 1e-9);
  OK(cuboid_multiply(&one, CUBOID_NONE, a, CUBOID_TRANSPOSE, a, &zero, s, NULL));
  OK(cuboid_multiply(&one, CUBOID_NONE, s, CUBOID_NONE, b, &zero, t, NULL));
  OK(cuboid_symm(CUBOID_LEFT, CUBOID_LOWER, &minus_one, s, b, &one, t));
  CHECK(largest(t) < 1e-9);
  OK(cuboid_multiply(&one, CUBOID_NONE, b, CUBOID_NONE, s, &zero, t, NULL));
  OK(cuboid_hemm(CUBOID_RIGHT, CUBOID_UPPER, &minus_one, s, b, &one, t));
  CHECK(largest(t) < 1e-9);
  OK(cuboid_redistribute(CUBOID_NONE, b, t));
  OK(cuboid_trsm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_STORED_DIAGONAL, &one, s, t));
  OK(cuboid_trmm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_STORED_DIAGONAL, &minus_one, s, t));
  OK(cuboid_redistribute_add(&one, CUBOID_NONE, b, &one, t));
  CHECK(largest(t) < 1e-6);
  OK(cuboid_matrix_free(&a));
  OK(cuboid_matrix_free(&b));
  OK(cuboid_matrix_free(&s));
  OK(cuboid_matrix_free(&t));
}

/* t, the lower triangle of b, and s, the rest of b, add up to b; b/2 + b/2 = b. */
static void helpers(cuboid_communicator communicator) {
  cuboid_matrix b = matrix(N, N, 0, communicator);
  cuboid_matrix s = matrix(N, N, 3, communicator);
  cuboid_matrix t = matrix(N, N, 4, communicator);
  OK(cuboid_laset(CUBOID_WHOLE, &zero, &zero, t));
  CHECK(largest(t) == 0);
  OK(cuboid_lacpy(CUBOID_LOWER, b, t));
  OK(cuboid_lacpy(CUBOID_WHOLE, b, s));
  OK(cuboid_laset(CUBOID_LOWER, &zero, &zero, s));
  OK(cuboid_redistribute_add(&one, CUBOID_NONE, s, &one, t));
  OK(cuboid_redistribute_add(&minus_one, CUBOID_NONE, b, &one, t));
  CHECK(largest(t) == 0);
  OK(cuboid_lacpy(CUBOID_WHOLE, b, s));
  OK(cuboid_lascl(CUBOID_WHOLE, 4, 2, s));
  OK(cuboid_redistribute_add(&minus_one, CUBOID_NONE, s, &one, b));
  OK(cuboid_redistribute_add(&minus_one, CUBOID_NONE, s, &one, b));
  CHECK(largest(b) == 0);
  CHECK(cuboid_lascl(CUBOID_WHOLE, 0, 1, s) == CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_lascl(CUBOID_WHOLE, 1, (double)NAN, s) == CUBOID_INVALID_ARGUMENT);
  OK(cuboid_matrix_free(&b));
  OK(cuboid_matrix_free(&s));
  OK(cuboid_matrix_free(&t));
}

/* q r = a and q^T q = 1; q (q^T b) = b; a x = b for as many rows as columns. */
static void qr(cuboid_communicator communicator) {
  cuboid_matrix a = matrix(N, N, 5, communicator);
  cuboid_matrix q = matrix(N, N, 0, communicator);
  cuboid_matrix r = matrix(N, N, 4, communicator);
  cuboid_matrix b = matrix(N, RIGHT_HAND_SIDES, 0, communicator);
  cuboid_matrix x = matrix(N, RIGHT_HAND_SIDES, 0, communicator);
  cuboid_qr_factorisation factors = NULL;
  cuboid_datatype type = 0;
  const void* taus = NULL;
  size_t count = 0;
  int64_t info = -1;
  int finite = -1;
  size_t i;
  OK(cuboid_qr(a, &factors));
  OK(cuboid_qr_type(factors, &type));
  CHECK(type == CUBOID_FLOAT64);
  OK(cuboid_qr_info(factors, &info));
  CHECK(info == 0);
  OK(cuboid_qr_is_finite(factors, &finite));
  CHECK(finite == 1);
  OK(cuboid_qr_taus(factors, &taus, &count));
  CHECK(count == N);
  for (i = 0; i < count; ++i) CHECK(((const double*)taus)[i] >= 0 && ((const double*)taus)[i] <= 2);
  OK(cuboid_qr_copy(factors, q));
  CHECK(largest(q) > 0);
  OK(cuboid_qr_copy_q(factors, q));
  OK(cuboid_qr_copy_r(factors, r));
  OK(cuboid_multiply(&minus_one, CUBOID_NONE, q, CUBOID_NONE, r, &one, a, NULL));
  CHECK(largest(a) < 1e-12);
  OK(cuboid_multiply(&one, CUBOID_NONE, q, CUBOID_NONE, r, &zero, a, NULL));

  OK(cuboid_qr_least_squares(factors, b, x));
  OK(cuboid_qr_apply(factors, CUBOID_TRANSPOSE, CUBOID_LEFT, b));
  OK(cuboid_qr_apply(factors, CUBOID_NONE, CUBOID_LEFT, b));
  check_solution(a, CUBOID_NONE, x, b);
  OK(cuboid_redistribute(CUBOID_NONE, x, b));
  OK(cuboid_least_squares(a, b, x));
  check_solution(a, CUBOID_NONE, x, b);
  OK(cuboid_qr_free(&factors));
  CHECK(factors == NULL);
  OK(cuboid_matrix_free(&a));
  OK(cuboid_matrix_free(&q));
  OK(cuboid_matrix_free(&r));
  OK(cuboid_matrix_free(&b));
  OK(cuboid_matrix_free(&x));
}

void factorisations(cuboid_communicator communicator) {
  lu(communicator);
  cholesky(communicator);
  triangular_products(communicator);
  helpers(communicator);
  qr(communicator);
}
