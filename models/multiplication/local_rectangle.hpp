#pragma once

#include <cstdint>

namespace cuboid::detail {

/// The numbers i with begin <= i < end.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
  bool operator==(const Extent&) const = default;
};

/// Local rows and columns of a rank's part of a matrix.
struct LocalRectangle {
  Extent rows;
  Extent columns;

  bool operator==(const LocalRectangle&) const = default;
};

}  // namespace cuboid::detail
