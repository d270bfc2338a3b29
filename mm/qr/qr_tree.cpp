#include "mm/qr/qr_tree.hpp"

#include <algorithm>

namespace cuboid::detail {

QrTree::QrTree(std::int64_t rows, std::int64_t width, std::int64_t block, int processes)
    : rows_(rows),
      width_(width),
      block_(block),
      processes_(processes),
      members_(static_cast<int>(std::min<std::int64_t>((rows + block - 1) / block, processes))) {}

std::vector<QrSubtree> QrTree::children(int member) const {
  std::vector<QrSubtree> children;
  for (int distance = 1; member % (2 * distance) == 0 && member + distance < members_;
       distance *= 2) {
    const int child = member + distance;
    children.push_back({child, std::min(distance, members_ - child)});
  }
  return children;
}

std::optional<int> QrTree::parent(int member) const {
  if (member == 0) return std::nullopt;
  const int lowest_bit = member & -member;
  return member - lowest_bit;
}

std::int64_t QrTree::rows(const QrSubtree& subtree) const {
  const std::int64_t cycle = block_ * processes_, of_cycle = block_ * subtree.count;
  const std::int64_t in_last = rows_ % cycle - block_ * subtree.first;
  return rows_ / cycle * of_cycle + std::clamp<std::int64_t>(in_last, 0, of_cycle);
}

std::int64_t QrTree::factor_rows(const QrSubtree& subtree) const {
  return std::min(rows(subtree), width_);
}

}  // namespace cuboid::detail
