#include "base/closest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace cuboid::detail {

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // edits from a beginning of `a` to each one of `b`
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
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
