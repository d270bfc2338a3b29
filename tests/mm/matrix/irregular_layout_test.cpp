#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/irregular_layout.hpp>

#include <numeric>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace irregular_layout_test {

using Place = IrregularLayout::Place;

TEST(IrregularLayout, knows_blocks_and_owners) {
  const IrregularLayout layout({0, 3, 3, 10}, {0, 4},
                               [](Place place) { return 2 * place.row + 1; });
  EXPECT_EQ(layout.m(), 10);
  EXPECT_EQ(layout.n(), 4);
  EXPECT_EQ(layout.last_rank(), 5);
  EXPECT_EQ(layout.block({2, 0}).rows.extent(), 7);
  EXPECT_EQ(layout.block({1, 0}).rows.extent(), 0);
  EXPECT_EQ(layout.owners({2, 0}).front(), 5);
  EXPECT_EQ(layout.blocks_of(3), (std::vector<Place>{{1, 0}}));
  EXPECT_TRUE(layout.blocks_of(0).empty());
}

TEST(IrregularLayout, replicated_blocks_are_everybodys) {
  const std::vector<int> ranks{4, 0, 2};
  const IrregularLayout layout = IrregularLayout::replicated(5, 6, ranks);
  for (const int rank : ranks) EXPECT_EQ(layout.blocks_of(rank), (std::vector<Place>{{0, 0}}));
  EXPECT_TRUE(layout.blocks_of(1).empty());
}

TEST(IrregularLayout, refuses_what_is_none) {
  const auto zero = [](Place) { return 0; };
  EXPECT_THROW(IrregularLayout({1, 3}, {0, 2}, zero), Error);
  EXPECT_THROW(IrregularLayout({0, 3, 2}, {0, 2}, zero), Error);
  EXPECT_THROW(IrregularLayout({}, {0, 2}, zero), Error);
  EXPECT_THROW(IrregularLayout({0, 3}, {0, 2}, [](Place) { return -1; }), Error);
  EXPECT_THROW(IrregularLayout({0, 3}, {0, 2}, [](Place) { return std::vector<int>(); }), Error);
  EXPECT_THROW(IrregularLayout({0, 3}, {0, 2},
                               [](Place) {
                                 return std::vector<int>{1, 1};
                               }),
               Error);
}

TEST(IrregularMatrix, has_its_blocks_in_order) {
  run_ranks(2, [](Communicator& communicator) {
    const IrregularLayout layout({0, 2, 5}, {0, 1, 4},
                                 [](Place place) { return (place.row + place.column) % 2; });
    IrregularMatrix<double> matrix(communicator, layout);
    ASSERT_EQ(matrix.blocks().size(), 2u);
    const bool first = communicator.rank() == 0;
    EXPECT_EQ(matrix.blocks()[0].rows, 2);
    EXPECT_EQ(matrix.blocks()[0].columns, first ? 1 : 3);
    EXPECT_EQ(matrix.blocks()[1].columns, first ? 3 : 1);
    EXPECT_THROW(IrregularMatrix<double>::wrap(communicator, layout, {}), Error);
    EXPECT_THROW(IrregularMatrix<double>(communicator,
                                         IrregularLayout({0, 1}, {0, 1}, [](Place) { return 2; })),
                 Error);
  });
}

}  // namespace irregular_layout_test
}  // namespace cuboid::detail
