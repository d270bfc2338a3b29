#pragma once

#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <cstddef>

namespace cuboid::detail {

double edges_of(const Forest& forest);

/// Messages of all its edges together.
double messages_of(const Forest& forest, const Pipelining& pipelining);
/// Those of one segment of every tree.
double messages_of_a_segment(const Forest& forest);
/// Bytes that all of them carry.
double bytes_of(const Forest& forest);

/// Bytes of the longest slice of any tree.
std::size_t longest_slice(const Forest& forest);
/// How many segments that slice has.
std::size_t segments_of(const Forest& forest, const Pipelining& pipelining);

/// The first `count` of the `segments` that the longest slice has, and as large a part of the
/// others: all trees end together, as they would.
Forest cut_off(Forest forest, std::size_t count, std::size_t segments);

/// A pipeline some of whose first segments were run: as each took that came in the second half of
/// them, so the others will.
struct PipelineStart {
  std::size_t half = 0;
  double half_seconds = 0;
  std::size_t most = 0;
  double most_seconds = 0;

  double each() const { return (most_seconds - half_seconds) / static_cast<double>(most - half); }
  double after(std::size_t segments) const {
    return half_seconds + each() * static_cast<double>(segments - half);
  }
};

}  // namespace cuboid::detail
