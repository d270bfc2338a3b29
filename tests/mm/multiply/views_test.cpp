#include <cuboid/communicator.hpp>
#include <cuboid/matrix_files.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/redistribute.hpp>
#include <cuboid/verify.hpp>

#include "tests/mm/random_products.hpp"
#include "tests/mm/redistribution/any_matrix.hpp"

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include <unistd.h>

namespace cuboid::detail {
namespace views_test {

using test::CaseSource;

/// Part of a larger matrix, on any ranks, with something else around it.
template <MatrixElement T>
struct Part {
  Matrix<T> around;
  BlockRange block;
  MatrixView<T> view;
  T outside;

  Part(const Communicator& communicator, CaseSource& draw, std::int64_t m, std::int64_t n, T other)
      : Part(communicator, draw, m, n, other, draw.between(0, 3) * 3, draw.between(0, 3) * 4) {}

  /// Whether nothing but the view was written.
  bool rest_untouched() const {
    bool untouched = test::padding_untouched(around);
    test::for_each_element(around, [&](Global<Row> i, Global<Column> j, T value) {
      const bool inside = i >= block.rows.begin && i < block.rows.end && j >= block.columns.begin &&
                          j < block.columns.end;
      untouched = untouched && (inside || value == outside);
    });
    return untouched;
  }

 private:
  Part(const Communicator& communicator, CaseSource& draw, std::int64_t m, std::int64_t n, T other,
       std::int64_t i, std::int64_t j)
      : around(test::padded_matrix<T>(
            communicator,
            draw.layout(i + m + draw.between(0, 5), j + n + draw.between(0, 5),
                        test::any_grid_of(draw, communicator.size())),
            draw.between(0, 2))),
        block{{Global<Row>(i), Global<Row>(i + m)}, {Global<Column>(j), Global<Column>(j + n)}},
        view((around.fill([&](auto, auto) { return other; }), around), block),
        outside(other) {}
};

template <MatrixElement T>
void multiply_views(const Communicator& communicator, const LocalGemm& gemm, CaseSource& draw) {
  const test::Product<T> product = test::any_product<T>(draw, draw.op(), draw.op());
  const auto& [m, n, k, op_a, op_b, alpha, beta] = product;
  const T nan(std::numeric_limits<RealOf<T>>::quiet_NaN());
  const auto operand = [&](Op op, std::int64_t rows, std::int64_t columns) {
    return op == Op::none ? Part<T>(communicator, draw, rows, columns, nan)
                          : Part<T>(communicator, draw, columns, rows, nan);
  };
  auto A = operand(op_a, m, k), B = operand(op_b, k, n);
  Part<T> C(communicator, draw, m, n, T(-7));
  A.view.fill_random(test::seed_a);
  B.view.fill_random(test::seed_b);
  test::fill_result(C.view, beta);
  MultiplyOptions options;
  if (draw.between(0, 1) == 0) {
    const auto all = multiplication_algorithms();
    options.algorithm = draw.one_of(std::vector(all.begin(), all.end()));
  }
  const FreivaldsCheck<T> check(alpha, {op_a, A.view}, {op_b, B.view}, beta, C.view);
  multiply(alpha, {op_a, A.view}, {op_b, B.view}, beta, C.view, gemm, options);
  EXPECT_EQ(test::wrong_elements(product, C.view), 0)
      << to_string(options.algorithm) << ", " << element_name<T>() << ", m " << m << ", n " << n
      << ", k " << k << ", A " << to_string(A.around.layout()) << " " << to_string(op_a) << ", B "
      << to_string(B.around.layout()) << " " << to_string(op_b) << ", C "
      << to_string(C.around.layout()) << ", alpha " << alpha << ", beta " << beta << ", rank "
      << communicator.rank() << " of " << communicator.size();
  EXPECT_TRUE(C.rest_untouched()) << to_string(C.around.layout());
  EXPECT_TRUE(check.verdict(C.view).holds()) << check.verdict(C.view).relative_error;
}

class MultiplyViewsOnRanks : public testing::TestWithParam<int> {};

TEST_P(MultiplyViewsOnRanks, agrees_with_sums_written_out) {
  run_ranks(GetParam(), [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    CaseSource draw(static_cast<std::uint32_t>(communicator.size()) + 77);
    for (int trial = 0; trial < 5; ++trial) {
      multiply_views<float>(communicator, gemm, draw);
      multiply_views<double>(communicator, gemm, draw);
      multiply_views<std::complex<float>>(communicator, gemm, draw);
      multiply_views<std::complex<double>>(communicator, gemm, draw);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, MultiplyViewsOnRanks, testing::Values(1, 2, 3, 5, 8, 12));

/// Ranks of a group, row by row.
GridShape grid_of(int rows, int columns, int first) {
  std::vector<int> ranks;
  for (int rank = 0; rank < rows * columns; ++rank) ranks.push_back(first + rank);
  return GridShape(rows, columns, std::move(ranks));
}

TEST(MultiplyViews, groups_that_share_no_rank_meet_in_one_world) {
  run_ranks(20, [](Communicator& world) {
    const LocalGemm gemm = LocalGemm::open(world.environment(), 1);
    const GridShape of_operands = grid_of(2, 4, 0), of_product = grid_of(3, 4, 8);
    constexpr std::int64_t m = 37, n = 29, k = 23;
    Matrix<double> A(world, Layout::block_cyclic(m, k, 4, 5, of_operands));
    Matrix<double> B(world, Layout::block_cyclic(k, n, 3, 3, of_operands));
    Matrix<double> C(world, Layout::block_cyclic(m, n, 2, 6, of_product));
    A.fill_random(test::seed_a);
    B.fill_random(test::seed_b);
    C.fill([](auto, auto) { return std::numeric_limits<double>::quiet_NaN(); });
    const FreivaldsCheck<double> check(1, {Op::none, A}, {Op::none, B}, 0, C);
    multiply(1, A, B, 0, C, gemm);
    EXPECT_TRUE(check.verdict(C).holds());

    // To other blocks on relabelled ranks, to blocks that a function deals out, and back.
    const Layout columns_first = Layout::block_cyclic(m, k, 4, 5, grid_of(4, 2, 0));
    Matrix<double> moved(world, relabelled(A.layout(), Op::none, columns_first));
    IrregularMatrix<double> dealt(
        world, IrregularLayout({0, 11, m}, {0, 2, 9, k}, [](IrregularLayout::Place place) {
          return 19 - 3 * place.row - place.column;
        }));
    redistribute<double>(1, A, 0, moved);
    redistribute<double>(1, moved, 0, dealt);
    Matrix<double> back(world, A.layout());
    redistribute<double>(1, dealt, 0, back);
    for (Local<Column> j; j.value < back.local_columns(); ++j) {
      for (Local<Row> i; i.value < back.local_rows(); ++i) EXPECT_EQ(back(i, j), A(i, j));
    }
  });
}

TEST(MultiplyViews, parts_of_one_matrix_that_meet_are_refused) {
  run_ranks(2, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Matrix<double> all(communicator, Layout::block_cyclic(8, 24, 2, 2, GridShape(1, 2)));
    all.fill_random(1);
    const auto part = [&](std::int64_t column) {
      return view(all, Global<Row>(0), Global<Column>(column), 8, 8);
    };
    EXPECT_THROW(multiply(1, part(0), part(8), 0, part(15), gemm), Error);
    EXPECT_NO_THROW(multiply(1, part(0), part(8), 0, part(16), gemm));
  });
}

TEST(MultiplyViews, files_take_views) {
  const auto path = std::filesystem::temp_directory_path() /
                    fmt::format("cuboid-view-{}.npy", static_cast<int>(getpid()));
  run_ranks(3, [&](Communicator& communicator) {
    CaseSource draw(5);
    Part<double> written(communicator, draw, 7, 5, -1), read(communicator, draw, 7, 5, -2);
    written.view.fill_random(3);
    read.view.fill([](auto, auto) { return 0; });
    write_matrix<double>(path, written.view);
    read_matrix<double>(path, read.view);
    test::for_each_element(read.view, [](Global<Row> i, Global<Column> j, double value) {
      EXPECT_EQ(value, test::element<double>(Op::none, 3, i.value, j.value));
    });
    EXPECT_TRUE(read.rest_untouched());
  });
  std::filesystem::remove(path);
}

}  // namespace views_test
}  // namespace cuboid::detail
