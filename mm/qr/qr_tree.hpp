#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// A member of a reduction tree and the members whose factors it has gathered: first … first +
/// count - 1.
struct QrSubtree {
  int first = 0;
  int count = 0;
  bool operator==(const QrSubtree&) const = default;
};

/// The binomial tree by which the triangular factors of a tall matrix's parts become one (Demmel et
/// al. 2012, §4). The matrix, rows × width, is distributed in blocks of `block` rows cyclically
/// over `processes` in a column of a grid. Members are the processes with rows, numbered from the
/// owner of the first block, which is the root: member i is its i-th neighbour down the column,
/// around the end. Example of six members: 1 sends to 0, 3 to 2, 5 to 4; then 2 to 0; then 4 to
/// 0. A pure value.
class QrTree {
 public:
  /// rows >= width >= 0, block >= width, processes >= 1.
  QrTree(std::int64_t rows, std::int64_t width, std::int64_t block, int processes);

  std::int64_t width() const { return width_; }
  /// The number of members; 0 for an empty matrix.
  int members() const { return members_; }

  /// The subtrees that send their factors to a member, in the order in which it receives them.
  std::vector<QrSubtree> children(int member) const;
  /// The member that receives this one's factor; nullopt for the root.
  std::optional<int> parent(int member) const;

  /// The number of the matrix's rows in a subtree.
  std::int64_t rows(const QrSubtree& subtree) const;
  /// The number of rows of a subtree's triangular factor, at most `width`.
  std::int64_t factor_rows(const QrSubtree& subtree) const;

 private:
  std::int64_t rows_, width_, block_;
  int processes_, members_;
};

}  // namespace cuboid::detail
