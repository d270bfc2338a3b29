#include "base/closest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  // Entry j of a row: the edits from the first letters of `a` to the first j letters of `b`. The
  // rows are of i - 1, i and i + 1 letters of `a`.
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = row[j] + (a[i] == b[j] ? 0 : 1);
      next[j + 1] = std::min({replaced, next[j] + 1, row[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);  // two letters exchanged
    }
    before = std::exchange(row, next);
  }
  return row.back();
}

}  // namespace

std::string closest_name(std::string_view word, std::span<const std::string> names) {
  std::string closest;
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    const std::size_t count = edits(word, name);
    if (count >= least) continue;
    least = count;
    closest = name;
  }
  return closest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string name = closest_name(word, names);
  return name.empty() ? "" : " (did you mean " + name + "?)";
}

}  // namespace cuboid::detail
