// The reduction tree of a tall panel, exhaustively for small ones.

#include "mm/qr/qr_tree.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace qr_tree_test {

/// Rows that a member has, counted block by block.
std::int64_t counted_rows(std::int64_t rows, std::int64_t block, int processes, int member) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < rows; ++row) count += row / block % processes == member ? 1 : 0;
  return count;
}

template <class Body>
void for_each_tree(const Body& body) {
  for (std::int64_t block = 1; block <= 4; ++block)
    for (std::int64_t width = 1; width <= block; ++width)
      for (int processes = 1; processes <= 17; ++processes)
        for (std::int64_t rows = width; rows <= 40; ++rows)
          body(rows, width, block, processes, QrTree(rows, width, block, processes));
}

TEST(QrTree, MembersAreTheProcessesWithRows) {
  for_each_tree([](auto rows, auto width, auto block, int processes, const QrTree& tree) {
    for (int member = 0; member < processes; ++member) {
      const std::int64_t counted = counted_rows(rows, block, processes, member);
      EXPECT_EQ(tree.rows({member, 1}), counted);
      EXPECT_EQ(member<tree.members(), counted> 0);
    }
    EXPECT_GE(tree.rows({0, 1}), width);
  });
}

TEST(QrTree, ChildrenAndParentsAgreeAndTogetherHaveAllRows) {
  for_each_tree([](auto rows, auto width, auto, int, const QrTree& tree) {
    int joined = 1;  // the root
    for (int member = 0; member < tree.members(); ++member) {
      QrSubtree whole{member, 1};
      for (const QrSubtree& child : tree.children(member)) {
        EXPECT_EQ(tree.parent(child.first), member);
        EXPECT_EQ(child.first, whole.first + whole.count);
        const std::int64_t above = tree.factor_rows(whole), below = tree.factor_rows(child);
        whole.count += child.count;
        EXPECT_EQ(std::min(above + below, width), tree.factor_rows(whole));
        ++joined;
      }
      if (member == 0) {
        EXPECT_EQ(whole.count, tree.members());
        EXPECT_EQ(tree.rows(whole), rows);
        EXPECT_FALSE(tree.parent(member));
      }
    }
    EXPECT_EQ(joined, tree.members());
  });
}

TEST(QrTree, SixMembersAsDocumented) {
  const QrTree tree(60, 4, 10, 6);
  EXPECT_EQ(tree.children(0), (std::vector<QrSubtree>{{1, 1}, {2, 2}, {4, 2}}));
  EXPECT_EQ(tree.children(4), (std::vector<QrSubtree>{{5, 1}}));
  EXPECT_EQ(tree.parent(3), 2);
  EXPECT_EQ(QrTree(0, 0, 4, 3).members(), 0);
}

}  // namespace qr_tree_test
}  // namespace cuboid::detail
