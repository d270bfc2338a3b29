#include "mm/drivers/bricks/brick_multiplication.hpp"

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>

#include "mm/decompositions/carma_decomposition.hpp"
#include "mm/decompositions/cosma_decomposition.hpp"
#include "tests/mm/least_words.hpp"
#include "tests/mm/random_products.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace cuboid::detail {
namespace brick_multiplication_test {

using test::CaseSource;
using test::Product;
using test::seed_a;
using test::seed_b;
using test::seed_c;

BrickGrid any_grid(CaseSource& draw, const ProductSize& size, int ranks) {
  if (draw.between(0, 2) == 0) return decompose_for_carma(size, ranks);
  if (draw.between(0, 1) == 0) return decompose_for_cosma(size, ranks).grid;
  // Whatever factors of some of the ranks, along whatever axes.
  int left = static_cast<int>(draw.between(1, ranks));
  std::vector<Split> splits;
  for (int factor = 2; left > 1; ++factor) {
    for (; left % factor == 0; left /= factor) {
      splits.push_back(
          {draw.one_of<WorkAxis>({WorkAxis::rows, WorkAxis::columns, WorkAxis::inner}), factor});
    }
  }
  return {size, splits};
}

template <MatrixElement T>
void multiply_one(const Communicator& communicator, const LocalGemm& gemm, CaseSource& draw,
                  Op op_a, Op op_b) {
  const auto product = test::any_product<T>(draw, op_a, op_b);
  const std::int64_t m = product.m, n = product.n, k = product.k;
  const BrickGrid grid = any_grid(draw, {m, n, k}, communicator.size());
  const auto some = [&] { return static_cast<int>(draw.one_of<std::int64_t>({1, 1, 2, 3})); };
  const BrickSteps steps{static_cast<int>(draw.one_of<std::int64_t>({1, 2, 3, 8})), some(), some()};
  const Sidedness sides = draw.one_of<Sidedness>({Sidedness::two_sided, Sidedness::one_sided});
  const auto stored = [&](Op op, const Layout& wanted) {
    return test::padded_matrix<T>(communicator,
                                  test::stored_layout(draw, op, wanted, communicator.size()),
                                  draw.between(0, 2));
  };
  auto A = stored(op_a, grid.a_layout());
  auto B = stored(op_b, grid.b_layout());
  auto C = stored(Op::none, grid.c_layout());
  A.fill_random(seed_a);
  B.fill_random(seed_b);
  BrickMultiplication<T> multiplication(communicator, grid, steps,
                                        {A.layout(), op_a, B.layout(), op_b, C.layout()}, sides);
  test::expect_right_again_and_again<T>(
      multiplication, product, A, B, C, gemm,
      fmt::format("{}, rounds {}, tiles {}x{}{}", to_string(grid), steps.rounds, steps.row_tiles,
                  steps.column_tiles, sides == Sidedness::one_sided ? ", one-sided" : ""));
}

class BricksOnRanks : public testing::TestWithParam<int> {};

TEST_P(BricksOnRanks, agree_with_sums_written_out) {
  test::for_every_type_and_op(GetParam(), 100,
                              []<class T>(auto&&... arguments) { multiply_one<T>(arguments...); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, BricksOnRanks, test::rank_counts);

/// Words of double that the busiest rank receives in one multiplication on matrices that lie as the
/// grid has them, as the transport counts them.
double words_received(const BrickGrid& grid, const BrickSteps& steps, int ranks) {
  std::vector<double> received(static_cast<std::size_t>(ranks));
  run_ranks(
      ranks,
      [&](Communicator& communicator) {
        const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
        Matrix<double> A(communicator, grid.a_layout()), B(communicator, grid.b_layout()),
            C(communicator, grid.c_layout());
        A.fill_random(seed_a);
        B.fill_random(seed_b);
        BrickMultiplication<double> multiplication(
            communicator, grid, steps, {A.layout(), Op::none, B.layout(), Op::none, C.layout()});
        const Traffic before = communicator.traffic();
        multiplication.run(1.0, A, B, 0.0, C, gemm);
        const Traffic traffic = communicator.traffic() - before;
        received[static_cast<std::size_t>(communicator.rank())] =
            static_cast<double>(traffic.bytes_received) / sizeof(double);
      },
      test::least_words());
  return *std::max_element(received.begin(), received.end());
}

TEST(Bricks, receive_the_words_that_were_foretold) {
  const ProductSize shapes[] = {{256, 256, 256}, {96, 96, 2048}, {2048, 96, 96}, {384, 384, 64}};
  for (const ProductSize& size : shapes) {
    for (const int ranks : {4, 5, 6, 7, 8, 12}) {
      const CosmaDecomposition cosma = decompose_for_cosma(size, ranks);
      EXPECT_EQ(words_received(cosma.grid, cosma.steps, ranks), cosma.grid.busiest().words_received)
          << "COSMA, " << to_string(cosma.grid) << " " << size.k;
      const BrickGrid tree = in_prime_splits(cosma.grid);
      EXPECT_EQ(words_received(tree, cosma.steps, ranks), tree.busiest().words_received)
          << "COSMA by binary trees, " << to_string(tree) << " " << size.k;
      const BrickGrid carma = decompose_for_carma(size, ranks);
      EXPECT_EQ(words_received(carma, {}, ranks), carma.busiest().words_received)
          << "CARMA, " << to_string(carma) << " " << size.k;
    }
  }
}

TEST(Bricks, with_few_columns_and_many_layers_receive_the_words_that_were_foretold) {
  for (const ProductSize& size : {ProductSize{30, 2, 64}, {7, 5, 33}, {10, 1, 12}, {1, 3, 40}}) {
    const BrickGrid grid(size, {{WorkAxis::inner, 8}});
    EXPECT_EQ(words_received(grid, {}, 8), grid.busiest().words_received) << size.m;
  }
}

// Two parts of 65 columns differ by one of them, which is 1.5% of the words. Rows divide evenly.
TEST(Bricks, cut_faces_where_shares_are_most_even_and_receive_the_words_that_were_foretold) {
  using enum WorkAxis;
  struct Case {
    ProductSize size;
    std::vector<Split> splits;
    std::array<WorkAxis, 3> cuts;  // of B, A and C: the faces shared along rows, columns, inner
    double words;
  };
  for (const auto& [size, splits, cuts, words] :
       {Case{{66, 65, 40}, {{rows, 2}}, {inner, inner, columns}, 20 * 65},
        Case{{40, 66, 65}, {{columns, 2}}, {columns, rows, columns}, 20 * 65},
        Case{{40, 65, 66}, {{inner, 2}}, {columns, inner, rows}, 20 * 65},
        Case{{40, 65, 66}, {{inner, 2}, {inner, 2}}, {columns, inner, rows}, 30 * 65},
        Case{{40, 65, 66}, {{columns, 2}, {inner, 2}}, {columns, rows, rows}, 20 * 33 + 20 * 33},
        // A piece of 7⅓ elements is no smaller than a column, so columns are summed as they are.
        Case{{8, 11, 24}, {{inner, 12}}, {columns, inner, columns}, 11 * 8}}) {
    const BrickGrid grid(size, splits);
    for (const WorkAxis across : {rows, columns, inner}) {
      EXPECT_EQ(to_string(grid.cut(across)), to_string(cuts[static_cast<std::size_t>(across)]))
          << to_string(grid) << " " << to_string(across);
    }
    EXPECT_EQ(grid.busiest().words_received, words) << to_string(grid);
    EXPECT_EQ(words_received(grid, {}, grid.ranks()), words) << to_string(grid);
  }
}

// Every face comes once for each row or column of tiles; sums of C differ by at most a column of
// each tile, which a rank passes on.
TEST(Bricks, in_tiles_receive_the_words_that_were_foretold) {
  for (const Split& alone : {Split{WorkAxis::rows, 4}, Split{WorkAxis::columns, 4}}) {
    const BrickGrid grid({96, 60, 40}, {alone, {WorkAxis::inner, 2}});
    for (const BrickSteps& steps :
         {BrickSteps{1, 2, 1}, BrickSteps{2, 1, 3}, BrickSteps{3, 3, 2}}) {
      const double passed_on = steps.tiles() * std::ceil(96.0 / steps.row_tiles);
      EXPECT_NEAR(words_received(grid, steps, 8), grid.busiest(steps).words_received, passed_on)
          << to_string(grid) << " " << steps.row_tiles << "x" << steps.column_tiles;
    }
  }
}

TEST(Bricks, are_multiplied_tile_by_tile_without_gap_or_overlap) {
  const BrickGrid grid({11, 13, 17},
                       {{WorkAxis::rows, 3}, {WorkAxis::inner, 2}, {WorkAxis::columns, 2}});
  for (const BrickSteps& steps : {BrickSteps{}, BrickSteps{3, 2, 4}, BrickSteps{9, 5, 7}}) {
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      const BrickSchedule schedule(grid, rank, steps);
      const Brick brick = grid.brick(*grid.position(rank));
      EXPECT_EQ(static_cast<std::int64_t>(schedule.steps()), steps.count());
      std::int64_t work = 0, own_b = 0;
      for (std::size_t step = 0; step < schedule.steps(); ++step) {
        work += extent_of(schedule.rows(step)) * extent_of(schedule.columns(step)) *
                extent_of(schedule.inner(step));
        if (schedule.row_tile(step) == 0)
          own_b += extent_of(schedule.own_b(step).rows) * extent_of(schedule.own_b(step).columns);
        EXPECT_EQ(schedule.ends_tile(step),
                  step + 1 == schedule.steps() || schedule.tile(step + 1) != schedule.tile(step));
      }
      EXPECT_EQ(static_cast<double>(work), brick.work());
      const Layout B = grid.b_layout();
      EXPECT_EQ(own_b, B.local_rows(rank) * B.local_columns(rank));
    }
  }
}

TEST(Bricks, refuse_what_makes_no_sense) {
  run_ranks(2, [](Communicator& communicator) {
    const ProductLayouts product{Layout::single(4, 6), Op::none, Layout::single(6, 5), Op::none,
                                 Layout::single(4, 5)};
    EXPECT_THROW(
        BrickMultiplication<double>(communicator, BrickGrid({4, 5, 7}, {}), BrickSteps{}, product),
        Error);
    EXPECT_THROW(
        BrickMultiplication<double>(communicator, BrickGrid({4, 5, 6}, {}), BrickSteps{0}, product),
        Error);
    EXPECT_THROW(BrickMultiplication<double>(communicator, BrickGrid({4, 5, 6}, {}),
                                             BrickSteps{1, 0, 1}, product),
                 Error);
    EXPECT_THROW(
        BrickMultiplication<double>(communicator, BrickGrid({4, 5, 6}, {{WorkAxis::rows, 3}}),
                                    BrickSteps{}, product),
        Error);
  });
}

}  // namespace brick_multiplication_test
}  // namespace cuboid::detail
