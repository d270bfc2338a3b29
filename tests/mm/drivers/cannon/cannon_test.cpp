// Cannon's and split-dimensional Cannon's multiplication against sums written out, and what they
// send.

#include "mm/drivers/cannon/cannon.hpp"

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "mm/drivers/cannon/sd_cannon.hpp"
#include "mm/drivers/multiplication.hpp"
#include "tests/mm/random_products.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail {
namespace cannon_test {

using test::CaseSource;
using test::Product;
using test::seed_a;
using test::seed_b;
using test::seed_c;

/// A grid on some of the ranks with its digits: as it comes, or folded out of several.
FoldedGrid any_grid(CaseSource& draw, int ranks) {
  const GridShape shape = draw.grid(ranks);
  FoldedGrid grid = FoldedGrid::plain(shape);
  if (draw.between(0, 1) == 0) return grid;
  // One prime factor of either side becomes a digit of its own.
  const auto factor = [&](int extent) {
    for (int prime = 2; prime <= extent; ++prime) {
      if (extent % prime == 0) return prime;
    }
    return 1;
  };
  const RotationDigit slow{factor(shape.rows()),
                           draw.between(0, 1) == 0 ? factor(shape.columns()) : 1};
  grid.digits = {slow, {shape.rows() / slow.rows, shape.columns() / slow.columns}};
  return grid;
}

template <MatrixElement T>
void multiply_one(const Communicator& communicator, const LocalGemm& gemm, CaseSource& draw,
                  Op op_a, Op op_b) {
  const auto product = test::any_product<T>(draw, op_a, op_b);
  const std::int64_t m = product.m, n = product.n, k = product.k;
  const FoldedGrid grid = any_grid(draw, communicator.size());
  const bool split = draw.between(0, 1) == 0;
  const Sidedness sides = draw.one_of<Sidedness>({Sidedness::two_sided, Sidedness::one_sided});
  const auto directions =
      draw.one_of<ShiftDirections>({ShiftDirections::both, ShiftDirections::one});
  const Layout c_layout =
      test::stored_layout(draw, Op::none, draw.layout(m, n, grid.shape), communicator.size());

  const Layout wanted_c = c_layout.grid() == grid.shape ? c_layout : Layout::single(m, n);
  const Layout wanted_a{wanted_c.grid() == grid.shape
                            ? wanted_c.rows()
                            : BlockCyclic<Row>::even(m, grid.shape.rows()),
                        BlockCyclic<Column>::even(k, grid.shape.columns()), grid.shape};
  const Layout wanted_b{BlockCyclic<Row>::even(k, grid.shape.rows()),
                        wanted_c.grid() == grid.shape
                            ? wanted_c.columns()
                            : BlockCyclic<Column>::even(n, grid.shape.columns()),
                        grid.shape};
  auto A = test::padded_matrix<T>(communicator,
                                  test::stored_layout(draw, op_a, wanted_a, communicator.size()),
                                  draw.between(0, 2));
  auto B = test::padded_matrix<T>(communicator,
                                  test::stored_layout(draw, op_b, wanted_b, communicator.size()),
                                  draw.between(0, 2));
  auto C = test::padded_matrix<T>(communicator, c_layout, draw.between(0, 2));
  A.fill_random(seed_a);
  B.fill_random(seed_b);
  const ProductLayouts stored{A.layout(), op_a, B.layout(), op_b, C.layout()};
  std::unique_ptr<Multiplication<T>> multiplication;
  if (split) {
    multiplication =
        std::make_unique<SdCannonMultiplication<T>>(communicator, grid, stored, sides, directions);
  } else {
    multiplication = std::make_unique<CannonMultiplication<T>>(communicator, grid.shape, stored);
  }
  test::expect_right_again_and_again<T>(
      *multiplication, product, A, B, C, gemm,
      fmt::format("{} on {}, {} digits{}{}", split ? "SD-Cannon" : "Cannon", to_string(grid.shape),
                  grid.digits.size(), sides == Sidedness::one_sided ? ", one-sided" : "",
                  directions == ShiftDirections::one ? ", one direction" : ""));
}

class CannonOnRanks : public testing::TestWithParam<int> {};

TEST_P(CannonOnRanks, agrees_with_sums_written_out) {
  test::for_every_type_and_op(GetParam(), 200,
                              []<class T>(auto&&... arguments) { multiply_one<T>(arguments...); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, CannonOnRanks, test::rank_counts);

/// What each rank received in one multiplication of matrices that lie as wanted, in words.
std::vector<std::uint64_t> words_received(int ranks, const FoldedGrid& grid,
                                          std::optional<ShiftDirections> split, std::int64_t m,
                                          std::int64_t n, std::int64_t k) {
  std::vector<std::uint64_t> received(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    const auto block = [&](std::int64_t rows, std::int64_t columns) {
      return Matrix<double>(communicator, Layout::block(rows, columns, grid.shape));
    };
    auto A = block(m, k), B = block(k, n), C = block(m, n);
    A.fill_random(seed_a);
    B.fill_random(seed_b);
    const ProductLayouts stored{A.layout(), Op::none, B.layout(), Op::none, C.layout()};
    std::unique_ptr<Multiplication<double>> multiplication;
    if (split) {
      multiplication = std::make_unique<SdCannonMultiplication<double>>(
          communicator, grid, stored, Sidedness::two_sided, *split);
    } else {
      multiplication =
          std::make_unique<CannonMultiplication<double>>(communicator, grid.shape, stored);
    }
    const Traffic before = communicator.traffic();
    multiplication->run(1.0, A, B, 0.0, C, gemm);
    received[static_cast<std::size_t>(communicator.rank())] =
        (communicator.traffic() - before).bytes_received / sizeof(double);
  });
  return received;
}

TEST(Cannon, receives_the_papers_words) {
  // Solomonik and Demmel 2012, section 3, counting the stagger as what is not there already: one
  // message instead of a shift for each place.
  struct Case {
    int rows, columns;
    std::int64_t m, n, k;
    std::vector<RotationDigit> digits;
  };
  const std::vector<Case> cases{{4, 4, 64, 32, 128, {{4, 4}}},
                                {4, 4, 64, 32, 128, {{2, 2}, {2, 2}}},
                                {3, 3, 30, 60, 36, {{3, 3}}},
                                {1, 4, 8, 64, 64, {{1, 4}}}};
  for (const auto& [rows, columns, m, n, k, digits] : cases) {
    const FoldedGrid grid{GridShape(rows, columns), digits};
    const std::uint64_t a_block = static_cast<std::uint64_t>(m * k / (rows * columns));
    const std::uint64_t b_block = static_cast<std::uint64_t>(k * n / (rows * columns));
    using Split = std::optional<ShiftDirections>;
    for (const Split split : {Split(), Split(ShiftDirections::both), Split(ShiftDirections::one)}) {
      const auto received = words_received(rows * columns, grid, split, m, n, k);
      for (int rank = 0; rank < rows * columns; ++rank) {
        const GridPosition at = *grid.shape.position(rank);
        const auto shifts_of = [](int line) { return static_cast<std::uint64_t>(line - 1); };
        const std::uint64_t a_stagger = columns > 1 && at.row > 0 ? a_block : 0;
        const std::uint64_t b_stagger = rows > 1 && at.column > 0 ? b_block : 0;
        EXPECT_EQ(received[static_cast<std::size_t>(rank)],
                  shifts_of(columns) * a_block + a_stagger + shifts_of(rows) * b_block + b_stagger)
            << rows << "x" << columns << (split ? ", SD-Cannon" : ", Cannon") << ", rank " << rank;
      }
    }
  }
}

// Solomonik and Demmel 2012, §2.3: on a network whose links go one way every block moves to the
// next rank of one dimension, over all dimensions at once.
TEST(SdCannon, shifts_blocks_in_one_direction_to_neighbours_in_every_dimension) {
  const std::vector<RotationDigit> digits{{3, 3}, {4, 4}};
  const auto colours = rotations_for_sd_cannon(digits, ShiftDirections::one);
  ASSERT_EQ(colours.size(), digits.size());
  for (int step = 0; step < colours.front().steps(); ++step) {
    for (const Side side : {Side::left, Side::right}) {
      for (const Rotation& colour : colours) {
        const auto onward = colour.onward(side, {}, step);
        if (!onward || onward->arrival != step + 1) continue;
        // The slow digit counts 4 places of a line of 12, the fast one a place: one of them lower.
        EXPECT_TRUE(onward->to == 8 || onward->to == 3) << onward->to;
      }
    }
  }
}

TEST(Cannon, does_not_stagger_what_lies_skewed) {
  const std::int64_t m = 24, n = 36, k = 48;
  for (const int side : {1, 2, 3, 4}) {
    for (const GridOrder order : {GridOrder::row_major, GridOrder::column_major}) {
      run_ranks(side * side, [&](Communicator& communicator) {
        const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
        const GridShape grid(side, side, order);
        const auto on = [&](std::int64_t rows, std::int64_t columns, const GridShape& shape) {
          return Layout(BlockCyclic<Row>::even(rows, side),
                        BlockCyclic<Column>::even(columns, side), shape);
        };
        Matrix<double> A(communicator, on(m, k, skewed_for_cannon(grid, Side::left)));
        // Stored transposed.
        Matrix<double> B(communicator, on(k, n, skewed_for_cannon(grid, Side::right)).transposed());
        Matrix<double> C(communicator, on(m, n, grid));
        A.fill_random(seed_a);
        B.fill_random(seed_b);
        CannonMultiplication<double> multiplication(
            communicator, grid, {A.layout(), Op::none, B.layout(), Op::transpose, C.layout()});
        EXPECT_EQ(multiplication.a_layout(), A.layout());
        const Traffic before = communicator.traffic();
        multiplication.run(1.0, A, B, 0.0, C, gemm);
        const std::uint64_t received = (communicator.traffic() - before).bytes_received;
        EXPECT_EQ(received / sizeof(double),
                  static_cast<std::uint64_t>((side - 1) * (m * k + k * n) / (side * side)));
        EXPECT_EQ(wrong_elements(Product<double>{m, n, k, Op::none, Op::transpose, 1.0, 0.0}, C),
                  0);
      });
    }
  }
  EXPECT_THROW(skewed_for_cannon(GridShape(2, 3), Side::left), Error);
}

TEST(SdCannon, folds_a_torus_onto_a_grid) {
  const auto folded = [](const std::string& spec, int slots) {
    return fold_for_sd_cannon(Placement::by_node(parse_shape(spec), slots));
  };
  const FoldedGrid four = folded("torus:3x3x3x3", 1);
  EXPECT_EQ(four.shape.rows(), 9);
  EXPECT_EQ(four.shape.columns(), 9);
  EXPECT_EQ(four.digits, (std::vector<RotationDigit>{{3, 3}, {3, 3}}));
  // Node (a, b, c, d) is at row 3c + a and column 3d + b.
  EXPECT_EQ(four.shape.position(27 * 1 + 9 * 2 + 3 * 0 + 1), (GridPosition{1, 5}));
  const FoldedGrid three = folded("torus:4x4x4", 1);
  EXPECT_EQ(three.shape.rows(), 16);
  EXPECT_EQ(three.shape.columns(), 4);
  EXPECT_EQ(three.digits, (std::vector<RotationDigit>{{4, 1}, {4, 4}}));
  EXPECT_EQ(folded("torus:4x4", 4).digits, (std::vector<RotationDigit>{{1, 4}, {4, 4}}));
  EXPECT_EQ(folded("torus:8x2", 4).shape.size(), 64);
}

TEST(Cannon, refuses_what_makes_no_sense) {
  run_ranks(2, [](Communicator& communicator) {
    const ProductLayouts product{Layout::single(4, 6), Op::none, Layout::single(6, 5), Op::none,
                                 Layout::single(4, 5)};
    EXPECT_THROW(CannonMultiplication<double>(communicator, GridShape(2, 2), product), Error);
    EXPECT_THROW(SdCannonMultiplication<double>(communicator, {GridShape(1, 2), {{1, 3}}}, product),
                 Error);
  });
}

}  // namespace cannon_test
}  // namespace cuboid::detail
