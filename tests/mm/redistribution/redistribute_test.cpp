#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/random_element.hpp"
#include "tests/mm/redistribution/any_matrix.hpp"

#include <cmath>

namespace cuboid::detail {
namespace redistribute_test {

using test::AnyMatrix;
using test::CaseSource;

constexpr std::uint64_t source_seed = 7;
constexpr std::uint64_t destination_seed = 8;

template <MatrixElement T>
T element(std::uint64_t seed, std::int64_t i, std::int64_t j) {
  return RandomColumn(seed, Global<Column>(j)).at<T>(Global<Row>(i));
}

/// The element of op(source) at (i, j).
template <MatrixElement T>
T element_of(Op op, std::int64_t i, std::int64_t j) {
  if (op == Op::none) return element<T>(source_seed, i, j);
  const T stored = element<T>(source_seed, j, i);
  return op == Op::transpose ? stored : conjugate(stored);
}

template <MatrixElement T>
T not_a_number() {
  return T(std::numeric_limits<RealOf<T>>::quiet_NaN());
}

/// One redistribution of random matrices, views or irregular ones: how it is made, and whether it
/// was right.
template <MatrixElement T>
class Case {
 public:
  Case(const Communicator& communicator, CaseSource& draw)
      : op_(draw.op()),
        alpha_(draw.one_of<T>({T(0), T(1), T(1), T(-0.5)})),
        beta_(draw.one_of<T>({T(0), T(0), T(1), T(2)})),
        rows_(draw.between(0, 40)),
        columns_(draw.between(0, 40)),
        source_(communicator, draw, op_ == Op::none ? rows_ : columns_,
                op_ == Op::none ? columns_ : rows_),
        destination_(communicator, draw, rows_, columns_) {}

  /// What must not be read is not a number.
  void fill() {
    const bool reads = alpha_ != T(0);
    source_.fill([&](std::int64_t i, std::int64_t j) {
      return reads ? element<T>(source_seed, i, j) : not_a_number<T>();
    });
    destination_.fill([&](std::int64_t i, std::int64_t j) {
      return beta_ == T(0) ? not_a_number<T>() : element<T>(destination_seed, i, j);
    });
  }

  RedistributionStep<T> step() {
    return {alpha_, source_.source(op_), beta_, destination_.destination()};
  }
  typename RedistributionPlan<T>::Layouts layouts() const {
    return {source_.layout(), op_, destination_.layout()};
  }

  void expect_right(const std::string& how) {
    std::int64_t wrong = 0;
    destination_.for_each([&](std::int64_t i, std::int64_t j, T value) {
      T expected(0);
      if (alpha_ != T(0)) expected = alpha_ * element_of<T>(op_, i, j);
      if (beta_ != T(0)) expected += beta_ * element<T>(destination_seed, i, j);
      const auto allowed = alpha_ == T(1) && beta_ == T(0)
                               ? RealOf<T>(0)
                               : 8 * std::numeric_limits<RealOf<T>>::epsilon();
      wrong += std::abs(value - expected) <= allowed ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0) << how << ": " << source_.text() << " -> " << destination_.text() << ", "
                        << to_string(op_) << ", alpha " << alpha_ << ", beta " << beta_;
    EXPECT_TRUE(source_.rest_untouched()) << how << ": " << source_.text();
    EXPECT_TRUE(destination_.rest_untouched()) << how << ": " << destination_.text();
  }

 private:
  Op op_;
  T alpha_, beta_;
  std::int64_t rows_, columns_;
  AnyMatrix<T> source_, destination_;
};

/// Some redistributions at once: once without a plan, and twice with one.
template <MatrixElement T>
void redistribute_some(Communicator& communicator, CaseSource& draw) {
  std::vector<std::unique_ptr<Case<T>>> cases;
  for (std::int64_t number = draw.one_of<std::int64_t>({1, 1, 1, 3}); number > 0; --number)
    cases.push_back(std::make_unique<Case<T>>(communicator, draw));
  const std::int64_t bytes = draw.one_of<std::int64_t>({1, 100, 10000, default_exchange_bytes});
  std::vector<RedistributionStep<T>> steps;
  std::vector<typename RedistributionPlan<T>::Layouts> layouts;
  for (const auto& one : cases) {
    one->fill();
    steps.push_back(one->step());
    layouts.push_back(one->layouts());
  }
  const auto how = [&](const char* run) {
    return fmt::format("{}, {} bytes, rank {} of {}", run, bytes, communicator.rank(),
                       communicator.size());
  };
  redistribute<T>(std::span<const RedistributionStep<T>>(steps), bytes);
  for (const auto& one : cases) one->expect_right(how("at once"));
  RedistributionPlan<T> plan(communicator, layouts, bytes);
  for (int run = 0; run < 2; ++run) {
    for (const auto& one : cases) one->fill();
    plan.run(steps);
    for (const auto& one : cases) one->expect_right(how("planned"));
  }
}

class RedistributeOnRanks : public testing::TestWithParam<int> {};

TEST_P(RedistributeOnRanks, any_layouts_to_any_others) {
  run_ranks(GetParam(), [](Communicator& communicator) {
    CaseSource draw(static_cast<std::uint32_t>(communicator.size()));
    for (int trial = 0; trial < 25; ++trial) {
      redistribute_some<float>(communicator, draw);
      redistribute_some<double>(communicator, draw);
      redistribute_some<std::complex<float>>(communicator, draw);
      redistribute_some<std::complex<double>>(communicator, draw);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, RedistributeOnRanks, testing::Values(1, 2, 3, 5, 8, 12));

TEST(Redistribute, what_stays_is_not_sent) {
  run_ranks(4, [](Communicator& communicator) {
    const Layout layout = Layout::block(50, 70, GridShape(2, 2));
    Matrix<double> source(communicator, layout);
    source.fill_random(source_seed);
    Matrix<double> copied(communicator, layout);
    Matrix<double> transposed(communicator, layout.transposed());
    const Traffic before = communicator.traffic();
    redistribute(Op::none, source, copied);
    EXPECT_EQ((communicator.traffic() - before).bytes_sent, 0u);
    redistribute(Op::transpose, source, transposed);
    EXPECT_LT((communicator.traffic() - before).bytes_sent, 500u);
    test::for_each_element(transposed, [](Global<Row> i, Global<Column> j, double value) {
      EXPECT_EQ(value, element_of<double>(Op::transpose, i.value, j.value));
    });
  });
}

TEST(Redistribute, ranks_that_have_nothing_send_nothing) {
  run_ranks(8, [](Communicator& communicator) {
    Matrix<double> A(communicator, Layout::block_cyclic(64, 64, 4, 4, GridShape(1, 3, {1, 2, 3})));
    Matrix<double> B(communicator, Layout::block_cyclic(64, 64, 8, 8, GridShape(2, 1, {7, 5})));
    A.fill_random(source_seed);
    const Traffic before = communicator.traffic();
    redistribute(1.0, A, 0.0, B);
    if (!A.position()) {
      EXPECT_LT((communicator.traffic() - before).bytes_sent, 500u);
    }
    test::for_each_element(B, [](Global<Row> i, Global<Column> j, double value) {
      EXPECT_EQ(value, element_of<double>(Op::none, i.value, j.value));
    });
  });
}

std::string refusal(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "no error";
}

TEST(Redistribute, refuses_what_does_not_fit) {
  run_ranks(2, [](Communicator& communicator) {
    const GridShape grid(1, 2);
    Matrix<double> source(communicator, Layout::block(4, 6, grid));
    Matrix<double> destination(communicator, Layout::block(4, 6, grid));
    destination.fill([](auto, auto) { return 5; });
    EXPECT_EQ(refusal([&] { redistribute(Op::transpose, source, destination); }),
              "redistribute: 4x6 source, op transpose, 4x6 destination: give a destination with "
              "the shape of op(source)");
    EXPECT_NE(refusal([&] { redistribute(Op::none, source, source); }).find("share memory"),
              std::string::npos);
    const auto part = [](auto& matrix, std::int64_t column, std::int64_t columns) {
      return view(matrix, Global<Row>(0), Global<Column>(column), 4, columns);
    };
    EXPECT_NE(refusal([&] {
                redistribute(Op::none, part(destination, 0, 3), part(destination, 2, 3));
              }).find("share memory"),
              std::string::npos);
    EXPECT_EQ(refusal([&] { part(source, 4, 3); }),
              "block-cyclic distribution: indices 4 to 7 of 6: give a range inside");
    const Communicator other = communicator.duplicate();
    Matrix<double> elsewhere(other, Layout::block(4, 6, grid));
    EXPECT_NE(refusal([&] { redistribute(Op::none, source, elsewhere); }).find("communicators"),
              std::string::npos);
    RedistributionPlan<double> plan(communicator, Layout::block(6, 4, grid), Op::transpose,
                                    destination.layout());
    EXPECT_NE(refusal([&] { plan.run(1, source, 0, destination); }).find("another layout"),
              std::string::npos);
    test::for_each_element(destination, [](auto, auto, double value) { EXPECT_EQ(value, 5); });
  });
}

TEST(Redistribute, disjoint_parts_of_a_matrix) {
  run_ranks(3, [](Communicator& communicator) {
    Matrix<double> matrix(communicator, Layout::block_cyclic(12, 20, 3, 2, GridShape(3, 1)));
    matrix.fill_random(source_seed);
    redistribute(2.0, view(matrix, Global<Row>(1), Global<Column>(0), 11, 10), 0.0,
                 view(matrix, Global<Row>(0), Global<Column>(10), 11, 10));
    test::for_each_element(matrix, [](Global<Row> i, Global<Column> j, double value) {
      const bool written = j.value >= 10 && i.value < 11;
      EXPECT_EQ(value, written ? 2 * element<double>(source_seed, i.value + 1, j.value - 10)
                               : element<double>(source_seed, i.value, j.value));
    });
  });
}

}  // namespace redistribute_test
}  // namespace cuboid::detail
