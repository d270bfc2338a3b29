// SUMMA in both orders of panels and with A or B stationary, HSUMMA and 2.5D against sums written
// out, and what they receive.

#include "mm/drivers/summa/summa.hpp"

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>

#include "mm/decompositions/required_layouts.hpp"
#include "mm/drivers/layered/two_and_a_half_d.hpp"
#include "mm/drivers/summa/hsumma.hpp"
#include "mm/drivers/summa/stationary_summa.hpp"
#include "models/multiplication/stationary_costs.hpp"
#include "tests/mm/least_words.hpp"
#include "tests/mm/random_products.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {
namespace summa_test {

using test::CaseSource;
using test::Product;
using test::seed_a;
using test::seed_b;
using test::seed_c;

template <MatrixElement T>
struct Made {
  std::string name;
  std::unique_ptr<Multiplication<T>> multiplication;
};

/// One of the algorithms with random settings.
template <MatrixElement T>
Made<T> any_multiplication(const Communicator& communicator, CaseSource& draw,
                           const ProductLayouts& stored) {
  const auto order = draw.one_of<PanelOrder>({PanelOrder::in_turn, PanelOrder::all_owners});
  const auto width = draw.one_of<std::int64_t>({1, 3, 16, 64, 512});
  const std::string tail =
      fmt::format("{}, panels of {}", order == PanelOrder::in_turn ? "in turn" : "all", width);
  const GridShape grid = draw.between(0, 1) == 0 ? stored.C.grid() : draw.grid(communicator.size());
  switch (draw.between(0, 5)) {
    case 0:
      return {fmt::format("SUMMA {}, {}", to_string(grid), tail),
              std::make_unique<SummaMultiplication<T>>(communicator, grid, stored, width, order)};
    case 1: {
      const HsummaWidths widths{width, width * draw.between(1, 4)};
      const GroupShape groups = draw.one_of<GroupShape>(group_shapes(grid));
      return {fmt::format("HSUMMA {} in {} groups, {}, outer {}", to_string(grid),
                          to_string(groups), tail, widths.outer),
              make_hsumma<T>(communicator, grid, groups, stored, widths, order)};
    }
    case 2:
    case 3: {
      const auto stays =
          draw.one_of<StationaryOperand>({StationaryOperand::a, StationaryOperand::b});
      return {fmt::format("{} stationary, {}, {}", stays == StationaryOperand::a ? "A" : "B",
                          to_string(grid), tail),
              std::make_unique<StationarySummaMultiplication<T>>(communicator, grid, stored, stays,
                                                                 width)};
    }
    default: {
      const int layers = static_cast<int>(draw.between(1, communicator.size()));
      const GridShape layer = draw.grid(communicator.size() / layers);
      const LayeredGrid layered(layer.rows(), layer.columns(), layers);
      using enum LayerAlgorithm;
      const auto inside = draw.one_of<LayerAlgorithm>({summa, cannon, sd_cannon, slabs});
      const bool replicated = inside == summa && draw.between(0, 1) == 0;
      return {fmt::format("2.5D {}, {}{}, {}", to_string(layered), to_string(inside),
                          replicated ? " of replicated operands" : "", tail),
              make_in_layers<T>(communicator, layered, stored,
                                {.inside = inside,
                                 .panel_width = width,
                                 .order = order,
                                 .replicated_operands = replicated})};
    }
  }
}

template <MatrixElement T>
void multiply_one(const Communicator& communicator, const LocalGemm& gemm, CaseSource& draw,
                  Op op_a, Op op_b) {
  const auto product = test::any_product<T>(draw, op_a, op_b);
  const std::int64_t m = product.m, n = product.n, k = product.k;
  const GridShape likely = draw.grid(communicator.size());
  const auto stored_matrix = [&](Op op, std::int64_t rows, std::int64_t columns) {
    const GridShape grid = draw.between(0, 2) > 0 ? likely : draw.grid(communicator.size());
    const Layout layout = op == Op::none ? draw.layout(rows, columns, grid)
                                         : draw.layout(columns, rows, grid.transposed());
    return test::padded_matrix<T>(communicator, layout, draw.between(0, 2));
  };
  auto A = stored_matrix(op_a, m, k);
  auto B = stored_matrix(op_b, k, n);
  auto C = test::padded_matrix<T>(communicator, draw.layout(m, n, likely), draw.between(0, 2));
  A.fill_random(seed_a);
  B.fill_random(seed_b);
  const auto [name, multiplication] =
      any_multiplication<T>(communicator, draw, {A.layout(), op_a, B.layout(), op_b, C.layout()});
  test::expect_right_again_and_again<T>(*multiplication, product, A, B, C, gemm, name);
}

class SummasOnRanks : public testing::TestWithParam<int> {};

TEST_P(SummasOnRanks, agree_with_sums_written_out) {
  test::for_every_type_and_op(GetParam(), 300,
                              []<class T>(auto&&... arguments) { multiply_one<T>(arguments...); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SummasOnRanks, test::rank_counts);

using Make = std::function<std::unique_ptr<Multiplication<double>>(const Communicator&)>;

/// What each rank sent and received in one multiplication of matrices with these layouts.
std::vector<Traffic> traffic(int ranks, const ProductLayouts& stored, const Make& make) {
  std::vector<Traffic> all(static_cast<std::size_t>(ranks));
  run_ranks(
      ranks,
      [&](Communicator& communicator) {
        const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
        Matrix<double> A(communicator, stored.A), B(communicator, stored.B),
            C(communicator, stored.C);
        A.fill_random(seed_a);
        B.fill_random(seed_b);
        const auto multiplication = make(communicator);
        multiplication->run(1.0, A, B, 0.0, C, gemm);
        const Traffic before = communicator.traffic();
        multiplication->run(1.0, A, B, 0.0, C, gemm);
        all[static_cast<std::size_t>(communicator.rank())] = communicator.traffic() - before;
      },
      test::least_words());
  return all;
}

std::vector<std::uint64_t> bytes_received(const std::vector<Traffic>& ranks) {
  std::vector<std::uint64_t> bytes;
  for (const Traffic& rank : ranks) bytes.push_back(rank.bytes_received);
  return bytes;
}

ProductLayouts in_blocks(std::int64_t m, std::int64_t n, std::int64_t k, const GridShape& grid) {
  return {Layout::block(m, k, grid), Op::none, Layout::block(k, n, grid), Op::none,
          Layout::block(m, n, grid)};
}

TEST(Hsumma, of_one_group_and_of_one_rank_each_is_summa_to_the_byte) {
  for (const auto& [rows, columns] : {std::pair(2, 4), std::pair(4, 4), std::pair(3, 1)}) {
    const GridShape grid(rows, columns);
    const ProductLayouts stored = in_blocks(64, 48, 96, grid);
    const HsummaWidths widths{8, 24};
    for (const PanelOrder order : {PanelOrder::in_turn, PanelOrder::all_owners}) {
      const auto summa = [&](std::int64_t width) {
        return traffic(grid.size(), stored, [&](const Communicator& communicator) {
          return std::make_unique<SummaMultiplication<double>>(communicator, grid, stored, width,
                                                               order);
        });
      };
      const auto hsumma = [&](const GroupShape& groups) {
        return traffic(grid.size(), stored, [&](const Communicator& communicator) {
          return make_hsumma<double>(communicator, grid, groups, stored, widths, order);
        });
      };
      const auto expect_equal = [](const std::vector<Traffic>& one,
                                   const std::vector<Traffic>& other) {
        for (std::size_t rank = 0; rank < one.size(); ++rank) {
          EXPECT_EQ(one[rank].bytes_sent, other[rank].bytes_sent);
          EXPECT_EQ(one[rank].bytes_received, other[rank].bytes_received);
          EXPECT_EQ(one[rank].messages_sent, other[rank].messages_sent);
        }
      };
      expect_equal(hsumma({1, 1}), summa(widths.inner));
      expect_equal(hsumma({rows, columns}), summa(widths.outer));
    }
  }
}

// Whatever the groups, every rank receives each panel once.
TEST(Hsumma, receives_what_summa_receives) {
  const GridShape grid(4, 4);
  const ProductLayouts stored = in_blocks(64, 32, 128, grid);
  for (const GroupShape& groups : {GroupShape{2, 2}, GroupShape{1, 2}, GroupShape{2, 4}}) {
    for (const PanelOrder order : {PanelOrder::in_turn, PanelOrder::all_owners}) {
      const auto received =
          bytes_received(traffic(grid.size(), stored, [&](const Communicator& communicator) {
            return make_hsumma<double>(communicator, grid, groups, stored, HsummaWidths{8, 32},
                                       order);
          }));
      for (const std::uint64_t bytes : received) {
        EXPECT_EQ(bytes, sizeof(double) * (64 / 4 * 96 + 32 / 4 * 96)) << to_string(groups);
      }
    }
  }
}

// Quintin et al. 2013, §VI, leave block-cyclic matrices to later.
TEST(Hsumma, takes_block_cyclic_matrices_as_they_lie) {
  const GridShape grid(4, 4);
  const auto cyclic = [&](std::int64_t m, std::int64_t n) {
    return Layout::block_cyclic(m, n, 4, 4, grid);
  };
  const ProductLayouts stored{cyclic(64, 128), Op::none, cyclic(128, 32), Op::none, cyclic(64, 32)};
  const RequiredLayouts wanted = wanted_for_panels(stored, grid, 16);
  EXPECT_TRUE(wanted.takes_a(stored) && wanted.takes_b(stored) && wanted.takes_c(stored));
  for (const PanelOrder order : {PanelOrder::in_turn, PanelOrder::all_owners}) {
    const auto received =
        bytes_received(traffic(grid.size(), stored, [&](const Communicator& communicator) {
          return make_hsumma<double>(communicator, grid, {2, 2}, stored, HsummaWidths{16, 32},
                                     order);
        }));
    for (const std::uint64_t bytes : received)
      EXPECT_EQ(bytes, sizeof(double) * (64 / 4 * 96 + 32 / 4 * 96));
  }
}

TEST(Hsumma, finds_groups_by_trying) {
  run_ranks(6, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    const GridShape grid(2, 3);
    const ProductLayouts stored = in_blocks(20, 30, 40, grid);
    Matrix<double> A(communicator, stored.A), B(communicator, stored.B), C(communicator, stored.C);
    A.fill_random(seed_a);
    B.fill_random(seed_b);
    SampledHsummaMultiplication<double> hsumma(communicator, grid, stored, {4, 8});
    EXPECT_FALSE(hsumma.sampled_groups().has_value());
    hsumma.run(1.0, A, B, 0.0, C, gemm);
    ASSERT_TRUE(hsumma.sampled_groups().has_value());
    EXPECT_TRUE(hsumma.sampled_groups()->divides(grid));
    EXPECT_EQ(wrong_elements(Product<double>{20, 30, 40, Op::none, Op::none, 1.0, 0.0}, C), 0);
  });
}

TEST(Hsumma, refuses_what_makes_no_sense) {
  run_ranks(6, [](Communicator& communicator) {
    const GridShape grid(2, 3);
    const ProductLayouts stored = in_blocks(4, 5, 6, grid);
    const auto make = [&](const GroupShape& groups, const HsummaWidths& widths) {
      make_hsumma<double>(communicator, grid, groups, stored, widths);
    };
    EXPECT_THROW(make({2, 2}, {}), Error);
    EXPECT_THROW(make({0, 1}, {}), Error);
    EXPECT_THROW(make({1, 3}, {0, 8}), Error);
    EXPECT_THROW(make({1, 3}, {16, 8}), Error);
  });
}

TEST(OuterPanels, gather_panels_in_order) {
  const auto range = [](int begin, int end) {
    return PanelRanges{{Global<Inner>(begin), Global<Inner>(end)}};
  };
  const std::vector<PanelRanges> panels{range(0, 3), range(3, 6), range(6, 8), range(8, 20)};
  EXPECT_EQ(outer_panels(panels, 6), (std::vector<PanelSpan>{{0, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(outer_panels(panels, 1), (std::vector<PanelSpan>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(outer_panels(panels, 100), (std::vector<PanelSpan>{{0, 4}}));
  EXPECT_TRUE(outer_panels({}, 6).empty());
}

ProductLayouts in_place_for(StationaryOperand stays, const ProductSize& size,
                            const GridShape& grid) {
  const auto& [m, n, k] = size;
  const RequiredLayouts wanted = wanted_for_stationary(in_blocks(m, n, k, grid), grid, stays);
  return {wanted.A, Op::none, wanted.B, Op::none, wanted.C};
}

// The large operand does not move: k/Q·n of the other one and m/P·n of C do, less what a rank owns.
TEST(StationarySumma, receives_its_parts_of_the_small_operand_and_of_c) {
  const std::int64_t large = 96, inner = 48, small = 24;
  for (const auto& [rows, columns] : {std::pair(2, 3), std::pair(4, 2), std::pair(6, 1)}) {
    const GridShape grid(rows, columns);
    const auto received = [&](StationaryOperand stays, const ProductSize& size) {
      const ProductLayouts stored = in_place_for(stays, size, grid);
      return bytes_received(traffic(grid.size(), stored, [&](const Communicator& communicator) {
        return std::make_unique<StationarySummaMultiplication<double>>(communicator, grid, stored,
                                                                       stays, 12);
      }));
    };
    const auto words = [&](std::int64_t across, std::int64_t down) {
      return inner / across * (small - small / down) + large / down * (small - small / across);
    };
    for (const std::uint64_t bytes : received(StationaryOperand::a, {large, small, inner}))
      EXPECT_EQ(bytes / sizeof(double), static_cast<std::uint64_t>(words(columns, rows)));
    for (const std::uint64_t bytes : received(StationaryOperand::b, {small, large, inner}))
      EXPECT_EQ(bytes / sizeof(double), static_cast<std::uint64_t>(words(rows, columns)));
  }
}

// Whatever blocks an operand on the grid has, it stays; the others keep runs by process.
TEST(StationarySumma, leaves_matrices_where_it_can_use_them) {
  const GridShape grid(2, 3);
  const Layout cyclic = Layout::block_cyclic(90, 60, 7, 5, grid);
  const Layout b(cyclic.columns().as<Row>(), BlockCyclic<Column>::blocks(12, 2), grid.transposed());
  const Layout c(cyclic.rows(), BlockCyclic<Column>::even(12, 3), grid);
  const ProductLayouts fitting{cyclic, Op::none, b, Op::none, c};
  const RequiredLayouts wanted = wanted_for_stationary(fitting, grid, StationaryOperand::a);
  EXPECT_TRUE(wanted.takes_a(fitting) && wanted.takes_b(fitting) && wanted.takes_c(fitting));
  const ProductLayouts turned{b.transposed(), Op::none, cyclic.transposed(), Op::none,
                              c.transposed()};
  const RequiredLayouts of_b =
      wanted_for_stationary(turned, grid.transposed(), StationaryOperand::b);
  EXPECT_TRUE(of_b.takes_a(turned) && of_b.takes_b(turned) && of_b.takes_c(turned));

  const Layout in_blocks_of_one = Layout::block_cyclic(90, 12, 7, 1, grid);
  const RequiredLayouts other = wanted_for_stationary(
      {cyclic, Op::none, Layout::block(60, 12, grid), Op::none, in_blocks_of_one}, grid,
      StationaryOperand::a);
  EXPECT_EQ(other.A, cyclic);
  EXPECT_EQ(other.B.rows(), cyclic.columns().as<Row>());
  EXPECT_EQ(other.C.columns(), BlockCyclic<Column>::even(12, 3));
}

ProductLayouts in_layers(const ProductSize& size, const LayeredGrid& grid, LayerAlgorithm inside) {
  const RequiredLayouts wanted = wanted_in_layers(size, grid, inside);
  return {wanted.A, Op::none, wanted.B, Op::none, wanted.C};
}

/// The words of double that the busiest rank receives.
double most_words(const std::vector<Traffic>& ranks) {
  return static_cast<double>(std::ranges::max(bytes_received(ranks))) / sizeof(double);
}

// The busiest rank has the largest share of the sums, of whole columns.
TEST(TwoAndAHalfD, receives_the_sums_of_uneven_shares_that_were_foretold) {
  for (const std::int64_t n : {15, 3}) {
    const LayeredGrid grid(1, 1, 4);
    for (const LayerAlgorithm inside : {LayerAlgorithm::summa, LayerAlgorithm::slabs}) {
      const ProductLayouts stored = in_layers({16, n, 64}, grid, inside);
      const auto words =
          most_words(traffic(grid.size(), stored, [&](const Communicator& communicator) {
            return make_in_layers<double>(communicator, grid, stored, {.inside = inside});
          }));
      EXPECT_EQ(words, layered_cost({16, static_cast<double>(n), 64}, 1, 1, 4, {}).words()) << n;
    }
  }
}

TEST(StationarySumma, receives_the_sums_of_uneven_shares_that_were_foretold) {
  for (const std::int64_t n : {15, 3}) {
    const GridShape grid(1, 4);
    const RequiredLayouts wanted =
        wanted_for_stationary(in_blocks(16, n, 64, grid), grid, StationaryOperand::a);
    const ProductLayouts stored{wanted.A, Op::none, wanted.B, Op::none, wanted.C};
    const auto words =
        most_words(traffic(grid.size(), stored, [&](const Communicator& communicator) {
          return std::make_unique<StationarySummaMultiplication<double>>(communicator, grid, stored,
                                                                         StationaryOperand::a, 256);
        }));
    EXPECT_EQ(words, stationary_cost({16, static_cast<double>(n), 64}, true, 1, 4, 256).words())
        << n;
  }
}

// Kwasniewski et al. 2019, table 3: k(m + n)/√(pc) + mn·c/p, of which a rank owns a share.
TEST(TwoAndAHalfD, receives_the_papers_words) {
  const std::int64_t m = 48, n = 96, k = 144;
  for (const auto& [q, c] : {std::pair(4, 1), std::pair(2, 2), std::pair(2, 4), std::pair(1, 6)}) {
    const LayeredGrid grid(q, q, c);
    for (const LayerAlgorithm inside : {LayerAlgorithm::summa, LayerAlgorithm::slabs}) {
      const ProductLayouts stored = in_layers({m, n, k}, grid, inside);
      const auto received =
          bytes_received(traffic(grid.size(), stored, [&](const Communicator& communicator) {
            return make_in_layers<double>(communicator, grid, stored, {.inside = inside});
          }));
      const std::int64_t operands = (m + n) / q * (k / c) * (q - 1) / q;
      for (const std::uint64_t bytes : received) {
        EXPECT_EQ(bytes / sizeof(double),
                  static_cast<std::uint64_t>(operands + m / q * (n / q) * (c - 1) / c))
            << q << " " << c;
      }
    }
  }
}

// Solomonik et al. 2011, algorithm 1: layers other than the first get n²c/P words of A and of B.
// Then a rank gets the blocks of its row and column that its layer multiplies and that are not its
// own. The first layer gets n²c/P words of C.
TEST(TwoAndAHalfD, replicates_the_operands_of_the_first_layer) {
  const std::int64_t n = 96;
  for (const auto& [q, c] : {std::pair(4, 2), std::pair(2, 2)}) {
    const LayeredGrid grid(q, q, c);
    const RequiredLayouts wanted = wanted_on_first_layer({n, n, n}, grid);
    const ProductLayouts stored{wanted.A, Op::none, wanted.B, Op::none, wanted.C};
    const auto received =
        bytes_received(traffic(grid.size(), stored, [&](const Communicator& communicator) {
          return make_in_layers<double>(communicator, grid, stored, {.replicated_operands = true});
        }));
    const std::int64_t block = n / q * (n / q);
    for (int rank = 0; rank < grid.size(); ++rank) {
      const auto [row, column, layer] = *grid.position(rank);
      const auto others = [&](int place) { return q / c - (place / (q / c) == layer ? 1 : 0); };
      const std::int64_t blocks = (layer > 0 ? 2 : 1) + others(column) + others(row);
      EXPECT_EQ(received[static_cast<std::size_t>(rank)],
                static_cast<std::uint64_t>(blocks * block) * sizeof(double))
          << q << " " << c << ": rank " << rank;
    }
  }
}

TEST(LayeredGrid, every_rank_has_a_place_and_an_equal_share) {
  for (const LayeredGrid& grid : {LayeredGrid(2, 3, 4), LayeredGrid(1, 1, 3),
                                  LayeredGrid(2, 1, 3, std::vector<int>{5, 0, 3, 1, 4, 2})}) {
    for (int rank = 0; rank < grid.size(); ++rank) {
      ASSERT_TRUE(grid.position(rank).has_value());
      EXPECT_EQ(grid.rank(*grid.position(rank)), rank);
      for (const Layout& layout :
           {grid.a_layout(24, 48), grid.b_layout(48, 72), grid.c_layout(24, 72),
            grid.a_layout_in_rows(24, 48), grid.b_layout_in_columns(48, 72)}) {
        EXPECT_EQ(layout.local_rows(rank) * layout.local_columns(rank),
                  layout.m() * layout.n() / grid.size());
      }
    }
    EXPECT_FALSE(grid.position(grid.size()).has_value());
  }
  EXPECT_THROW(LayeredGrid(0, 1, 1), Error);
  EXPECT_THROW(LayeredGrid(1 << 15, 1 << 15, 4), Error);
  EXPECT_THROW(LayeredGrid(1, 1, 2, std::vector<int>{0, 0}), Error);
}

TEST(TwoAndAHalfD, refuses_more_ranks_than_there_are) {
  run_ranks(2, [](Communicator& communicator) {
    const LayeredGrid grid(1, 2, 2);
    EXPECT_THROW(make_in_layers<double>(communicator, grid,
                                        in_layers({4, 4, 4}, grid, LayerAlgorithm::summa)),
                 Error);
  });
}

}  // namespace summa_test
}  // namespace cuboid::detail
