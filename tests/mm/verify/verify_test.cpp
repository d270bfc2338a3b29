#include <cuboid/barrier.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/run_ranks.hpp>
#include <cuboid/verify.hpp>

#include "mm/matrix/random_element.hpp"
#include "tests/mm/random_case.hpp"

#include <cmath>
#include <functional>
#include <limits>

namespace cuboid::detail {
namespace {

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

}  // namespace
}  // namespace cuboid::detail
