#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/verify.hpp>

#include "mm/matrix/random_element.hpp"
#include "tests/mm/random_case.hpp"

#include <cmath>
#include <functional>
#include <limits>

namespace cuboid::detail {
namespace verify_test {

using test::CaseSource;

/// What both checks say about C = op(A)·op(B)·α + β·C after multiply() and after `spoil` changed
/// the result.
struct Verdicts {
  Verdict freivalds;
  Verdict reference;
};

template <MatrixElement T>
Verdicts check(
    const Operand<T>& A, const Operand<T>& B, Matrix<T>& C, T alpha, T beta,
    const std::function<void(Matrix<T>&)>& spoil = [](Matrix<T>&) {}) {
  const LocalGemm gemm = LocalGemm::open(C.communicator().environment(), 1);
  const FreivaldsCheck<T> freivalds(alpha, A, B, beta, C);
  const ReferenceCheck<T> reference(alpha, A, B, beta, C, gemm);
  multiply(alpha, A, B, beta, C, gemm,
           {.algorithm = MultiplicationAlgorithm::summa, .panel_width = 64});
  spoil(C);
  return {freivalds.verdict(C), reference.verdict(C)};
}

template <MatrixElement T>
std::function<void(Matrix<T>&)> wrong_element(Global<Row> i, Global<Column> j,
                                              const std::function<T(T)>& wrong) {
  return [=](Matrix<T>& C) {
    const auto here = C.position();
    if (!here || C.layout().owner(i, j) != C.communicator().rank()) return;
    T& element = C(C.layout().rows().local(i), C.layout().columns().local(j));
    element = wrong(element);
  };
}

template <MatrixElement T>
void right_products_pass(Communicator& communicator) {
  CaseSource draw(11);
  const std::vector<std::int64_t> sizes{0, 1, 2, 16, 33, 100, 257};
  const std::vector<T> factors{T(0), T(1), T(-0.5)};
  for (int trial = 0; trial < 12; ++trial) {
    const std::int64_t m = draw.one_of(sizes), n = draw.one_of(sizes), k = draw.one_of(sizes);
    const Op a = draw.op(), b = draw.op();
    const auto layout = [&](Op op, std::int64_t rows, std::int64_t columns) {
      return draw.layout(op == Op::none ? rows : columns, op == Op::none ? columns : rows,
                         draw.grid(communicator.size()));
    };
    Matrix<T> A(communicator, layout(a, m, k)), B(communicator, layout(b, k, n)),
        C(communicator, layout(Op::none, m, n));
    A.fill_random(1);
    B.fill_random(2);
    C.fill_random(3);
    const T alpha = draw.one_of(factors), beta = draw.one_of(factors);
    const auto [freivalds, reference] = check<T>({a, A}, {b, B}, C, alpha, beta);
    EXPECT_TRUE(freivalds.holds() && reference.holds())
        << element_name<T>() << " " << m << "x" << n << "x" << k << ": " << freivalds.relative_error
        << " > " << freivalds.tolerance << " or " << reference.relative_error << " > "
        << reference.tolerance;
    EXPECT_LT(freivalds.tolerance, 1e4 * std::numeric_limits<RealOf<T>>::epsilon());
  }
}

TEST(Verify, right_products_pass) {
  for (const int ranks : {1, 3, 4}) {
    run_ranks(ranks, [](Communicator& communicator) {
      right_products_pass<float>(communicator);
      right_products_pass<double>(communicator);
      right_products_pass<std::complex<float>>(communicator);
      right_products_pass<std::complex<double>>(communicator);
    });
  }
}

/// Rounding that is as bad as it gets: summands alike, all positive, or of very different size.
TEST(Verify, no_false_alarm_for_hard_rounding) {
  run_ranks(4, [](Communicator& communicator) {
    const GridShape grid(2, 2);
    for (const std::int64_t k : {64, 257, 1000, 5000}) {
      Matrix<float> A(communicator, Layout::block(150, k, grid));
      Matrix<float> B(communicator, Layout::block(k, 130, grid));
      Matrix<float> C(communicator, Layout::block(150, 130, grid));
      const auto passes = [&](const char* what) {
        const auto [freivalds, reference] = check<float>(A, B, C, 1, 0);
        EXPECT_TRUE(freivalds.holds()) << what << ", k " << k << ": " << freivalds.relative_error
                                       << " of " << freivalds.tolerance;
        EXPECT_TRUE(reference.holds()) << what << ", k " << k << ": " << reference.relative_error
                                       << " of " << reference.tolerance;
      };
      A.fill([](auto, auto) { return 0.1f; });
      B.fill([](auto, auto) { return 0.3f; });
      passes("constant");
      A.fill([](auto i, auto j) { return RandomColumn(1, j).at<float>(i) + 1.1f; });
      B.fill([](auto i, auto j) { return RandomColumn(2, j).at<float>(i) + 1.1f; });
      passes("positive");
      A.fill([](auto i, auto j) {
        return RandomColumn(1, j).at<float>(i) * std::pow(10.0f, static_cast<float>(i.value % 9));
      });
      B.fill([](auto i, auto j) {
        return RandomColumn(2, j).at<float>(i) * std::pow(0.1f, static_cast<float>(j.value % 9));
      });
      passes("graded");
    }
  });
}

TEST(Verify, one_wrong_element_is_found) {
  run_ranks(4, [](Communicator& communicator) {
    const GridShape grid(2, 2);
    for (const std::int64_t n : {1, 20, 300}) {
      const Global<Row> i(n / 3);
      const Global<Column> j(n - 1);
      const Layout layout = Layout::block_cyclic(n, n, 7, 5, grid);
      {
        Matrix<double> A(communicator, layout), B(communicator, layout), C(communicator, layout);
        // One small column: an error in it must not drown in the others.
        A.fill_random(1);
        B.fill([&](Global<Row> row, Global<Column> column) {
          return RandomColumn(2, column).at<double>(row) * (column == j ? 1e-8 : 1.0);
        });
        const auto spoil =
            wrong_element<double>(i, j, [](double value) { return value * (1 + 1e-3); });
        const auto [freivalds, reference] = check<double>(A, B, C, 1, 0, spoil);
        EXPECT_FALSE(freivalds.holds()) << n << ": " << freivalds.relative_error;
        EXPECT_FALSE(reference.holds()) << n << ": " << reference.relative_error;
      }
      {
        Matrix<float> A(communicator, layout), B(communicator, layout), C(communicator, layout);
        A.fill_random(1);
        B.fill_random(2);
        const auto typical = std::sqrt(static_cast<float>(n)) / 3;
        const auto [freivalds, reference] = check<float>(
            A, B, C, 1, 0,
            wrong_element<float>(i, j, [&](float value) { return value + 0.1f * typical; }));
        EXPECT_FALSE(freivalds.holds()) << n << ": " << freivalds.relative_error;
        EXPECT_FALSE(reference.holds()) << n << ": " << reference.relative_error;
      }
    }
  });
}

TEST(Verify, what_is_not_a_number_or_should_be_zero_is_found) {
  run_ranks(3, [](Communicator& communicator) {
    const Layout layout = Layout::block(12, 12, GridShape(1, 3));
    using Z = std::complex<double>;
    Matrix<Z> A(communicator, layout), B(communicator, layout), C(communicator, layout);
    A.fill_random(1);
    B.fill_random(2);
    const Global<Row> i(3);
    const Global<Column> j(11);
    const auto not_a_number = check<Z>(A, B, C, Z(1, 1), 0, wrong_element<Z>(i, j, [](Z) {
                                         return Z(0, std::numeric_limits<double>::quiet_NaN());
                                       }));
    EXPECT_TRUE(std::isnan(not_a_number.freivalds.relative_error));
    EXPECT_TRUE(std::isnan(not_a_number.reference.relative_error));
    EXPECT_FALSE(not_a_number.freivalds.holds() || not_a_number.reference.holds());

    A.fill([](auto, auto) { return Z(0); });
    const auto not_zero =
        check<Z>(A, B, C, 1, 0, wrong_element<Z>(i, j, [](Z) { return Z(1e-300); }));
    EXPECT_TRUE(std::isinf(not_zero.freivalds.relative_error));
    EXPECT_TRUE(std::isinf(not_zero.reference.relative_error));
    const auto zero = check<Z>(A, B, C, 1, 0);
    EXPECT_EQ(zero.freivalds.relative_error, 0);
    EXPECT_EQ(zero.reference.relative_error, 0);
  });
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// C = A·B + β·C with a NaN in A's row 2, an infinity in B's column 4 and, unless β = 0, one in C
/// at (7, 8).
template <MatrixElement T>
Verdicts check_with_specials(
    const Communicator& communicator, T beta,
    const std::function<void(Matrix<T>&)>& spoil = [](Matrix<T>&) {}) {
  const Layout layout = Layout::block_cyclic(12, 12, 3, 2, GridShape(1, communicator.size()));
  Matrix<T> A(communicator, layout), B(communicator, layout), C(communicator, layout);
  A.fill_random(1);
  B.fill_random(2);
  C.fill_random(3);
  const auto set = [](Matrix<T>& matrix, std::int64_t i, std::int64_t j, double value) {
    wrong_element<T>(Global<Row>(i), Global<Column>(j),
                     [=](T) { return T(static_cast<RealOf<T>>(value)); })(matrix);
  };
  set(A, 2, 5, not_a_number);
  set(B, 6, 4, infinity);
  set(C, 7, 8, infinity);
  return check<T>(A, transpose(B), C, T(1), beta, spoil);
}

template <MatrixElement T>
void specials_belong_where_ieee_has_them(const Communicator& communicator) {
  for (const T beta : {T(0), T(2)}) {
    const auto [freivalds, reference] = check_with_specials<T>(communicator, beta);
    EXPECT_TRUE(freivalds.holds() && reference.holds())
        << element_name<T>() << ": " << freivalds.relative_error << ", "
        << reference.relative_error;
    EXPECT_TRUE(freivalds.special_values && reference.special_values);
  }
  const auto is_found = [&](std::int64_t i, std::int64_t j, double value, const char* what) {
    const auto spoil = wrong_element<T>(Global<Row>(i), Global<Column>(j),
                                        [=](T) { return T(static_cast<RealOf<T>>(value)); });
    const auto [freivalds, reference] = check_with_specials<T>(communicator, T(2), spoil);
    EXPECT_FALSE(freivalds.holds()) << what << ", " << element_name<T>();
    EXPECT_FALSE(reference.holds()) << what << ", " << element_name<T>();
  };
  is_found(2, 3, 1, "a number in the row of a NaN");
  is_found(3, 6, 1, "a number in the column of an infinity");
  is_found(7, 8, 1, "a number where an infinity was added");
  is_found(4, 3, not_a_number, "a NaN elsewhere");
  is_found(4, 3, infinity, "an infinity elsewhere");
  is_found(4, 3, 100, "a wrong number elsewhere");
}

TEST(Verify, not_a_number_and_infinities_belong_where_ieee_has_them) {
  run_ranks(3, [](Communicator& communicator) {
    specials_belong_where_ieee_has_them<float>(communicator);
    specials_belong_where_ieee_has_them<double>(communicator);
    specials_belong_where_ieee_has_them<std::complex<float>>(communicator);
    specials_belong_where_ieee_has_them<std::complex<double>>(communicator);
    // Of real types the reference tells one from the other.
    const auto negative =
        wrong_element<double>(Global<Row>(7), Global<Column>(8), [](double) { return -infinity; });
    EXPECT_FALSE(check_with_specials<double>(communicator, 2, negative).reference.holds());
    const auto nan = wrong_element<double>(Global<Row>(7), Global<Column>(8),
                                           [](double) { return not_a_number; });
    EXPECT_FALSE(check_with_specials<double>(communicator, 2, nan).reference.holds());
  });
}

/// Of elements between -size and size, also in columns of very different size.
template <MatrixElement T>
Verdicts check_of_size(
    const Communicator& communicator, double size, T alpha = T(1),
    const std::function<void(Matrix<T>&)>& spoil = [](Matrix<T>&) {}) {
  const Layout layout = Layout::block(40, 40, GridShape(communicator.size(), 1));
  Matrix<T> A(communicator, layout), B(communicator, layout), C(communicator, layout);
  const auto scaled = [&](std::uint64_t seed, bool graded) {
    return [=](Global<Row> i, Global<Column> j) {
      const bool small = graded && j.value % 3 == 0;
      return RandomColumn(seed, j).at<double>(i) * size * (small ? 1e-3 : 1);
    };
  };
  A.fill(scaled(1, false));
  B.fill(scaled(2, true));
  C.fill(scaled(3, false));
  return check<T>(A, B, C, alpha, T(1), spoil);
}

TEST(Verify, underflow_and_overflow_are_not_wrong) {
  run_ranks(3, [](Communicator& communicator) {
    const auto passes = [](const Verdicts& verdicts, const char* what) {
      const auto& [freivalds, reference] = verdicts;
      EXPECT_TRUE(freivalds.holds())
          << what << ": " << freivalds.relative_error << " of " << freivalds.tolerance;
      EXPECT_TRUE(reference.holds())
          << what << ": " << reference.relative_error << " of " << reference.tolerance;
      EXPECT_FALSE(freivalds.special_values) << what;
    };
    for (const double size : {1e-150, 1e-155, 1e-160, 1e-161, 1e-162, 1e-200, 1e-300, 1e-310})
      passes(check_of_size<double>(communicator, size), "double, small");
    for (const double size : {1e-18, 1e-20, 1e-22, 1e-23, 1e-30, 1e-40})
      passes(check_of_size<float>(communicator, size), "float, small");
    for (const double size : {1e150, 1e153, 1e154, 1e160, 1e300})
      passes(check_of_size<double>(communicator, size), "double, large");
    for (const double size : {1e18, 1e19, 1e30})
      passes(check_of_size<float>(communicator, size), "float, large");
    passes(check_of_size<double>(communicator, 1e-100, 1e-120), "a small factor");
    passes(check_of_size<double>(communicator, 1e160, 1e-200), "products that overflow before");
    EXPECT_TRUE(check_of_size<double>(communicator, 1, infinity).freivalds.special_values);
    EXPECT_TRUE(check_of_size<double>(communicator, 1, infinity).reference.holds());

    const auto wrong = [](double by) {
      return wrong_element<double>(Global<Row>(11), Global<Column>(13),
                                   [=](double value) { return value * by; });
    };
    for (const double size : {1e-155, 1e-140, 1e140, 1e153}) {
      const auto [freivalds, reference] = check_of_size<double>(communicator, size, 1, wrong(1.5));
      EXPECT_FALSE(freivalds.holds()) << size;
      EXPECT_FALSE(reference.holds()) << size;
    }
  });
}

}  // namespace verify_test
}  // namespace cuboid::detail
