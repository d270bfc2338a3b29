#pragma once

#include "collectives/schedules/footprint.hpp"
#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Ranges of a buffer that are copied one batch after the other. There are few batches, and each
/// but the last is long: a copy takes several times as long as its start.
struct CopyBatches {
  std::vector<ByteRange> ranges = {};
  std::vector<std::uint32_t> ends = {};  ///< by batch, where the next batch begins in `ranges`

  std::size_t size() const { return ends.size(); }
  std::span<const ByteRange> operator[](std::size_t batch) const {
    const std::size_t begin = batch == 0 ? 0 : ends[batch - 1];
    return std::span(ranges).subspan(begin, ends[batch] - begin);
  }
};

/// How the copies of a staged schedule and its steps run beside each other. The steps work on
/// copies of the caller's buffers: a step can run when the batches that it needs have come, and a
/// batch of the results can leave when the steps that write it are complete.
struct StagingPlan {
  /// Copies to where the steps work, in the order in which the steps need them.
  struct Arrivals {
    CopyBatches batches = {};
    std::vector<std::uint32_t> needed = {};  ///< by step: the step needs this many, the first
  };
  Arrivals input = {};
  /// What the steps read of the output's content. A step that writes there needs it, too: else the
  /// copy would replace what the step has written.
  Arrivals content = {};

  CopyBatches results = {};                      ///< what the steps write to the output
  std::vector<std::uint32_t> writers = {};       ///< by batch of the results: steps that write it
  std::vector<std::uint32_t> first_result = {};  ///< by step, where its batches begin in
                                                 ///< `written`; one entry more than steps
  std::vector<std::uint32_t> written = {};       ///< batches of the results
};

/// Plans the copies for a schedule.
/// @param input, output  its footprints
/// @param in_place       whether contributions lie in the output
StagingPlan staging_plan(const Schedule& schedule, const Footprint& input, const Footprint& output,
                         bool in_place);

}  // namespace cuboid::detail
