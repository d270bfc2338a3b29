#include "mm/decompositions/srumma_tasks.hpp"

#include <algorithm>
#include <numeric>

namespace cuboid::detail {

std::vector<SrummaTask> cut_srumma_tasks(const BlockCyclic<Inner>& a, const BlockCyclic<Inner>& b,
                                         std::int64_t widest) {
  std::vector<SrummaTask> tasks;
  for (Global<Inner> begin = a.all().begin; begin < a.all().end;) {
    const Global<Inner> end = std::min(a.run_end(begin), b.run_end(begin));
    const int a_owner = a.owner(begin), b_owner = b.owner(begin);
    for (std::int64_t parts = (end - begin + widest - 1) / widest; parts > 0; --parts) {
      const Global<Inner> next = begin + (end - begin + parts - 1) / parts;
      tasks.push_back({{begin, next}, a_owner, b_owner});
      begin = next;
    }
  }
  return tasks;
}

std::vector<std::size_t> order_srumma_tasks(const std::vector<SrummaTask>& tasks, int row,
                                            int column, const DirectBlocks& direct) {
  const auto rows = direct.b.size(), columns = direct.a.size();
  const auto size = tasks.size();
  // The first task: (row / rows + column / columns) of the way round.
  const std::size_t shift =
      (static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column) * rows) * size /
      (rows * columns);
  // The number of each task among the consecutive tasks of its owners.
  std::vector<std::size_t> position(size, 0);
  std::size_t of_a = 0, of_b = 0, positions = 1;
  for (std::size_t task = 1; task < size; ++task) {
    of_a = tasks[task].a_owner == tasks[task - 1].a_owner ? of_a + 1 : 0;
    of_b = tasks[task].b_owner == tasks[task - 1].b_owner ? of_b + 1 : 0;
    position[task] = std::max(of_a, of_b);
    positions = std::max(positions, position[task] + 1);
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (size > 0) {
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shift % size),
                order.end());
  }
  const auto takes_messages = [&](std::size_t task) {
    return !direct.a[static_cast<std::size_t>(tasks[task].a_owner)] ||
           !direct.b[static_cast<std::size_t>(tasks[task].b_owner)];
  };
  const std::size_t first = size > 0 ? position[order.front()] : 0;
  const auto place = [&](std::size_t task) {
    return std::pair(takes_messages(task), (position[task] + positions - first) % positions);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return place(one) < place(other); });
  return order;
}

}  // namespace cuboid::detail
