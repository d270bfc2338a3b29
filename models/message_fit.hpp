#pragma once

#include <cuboid/models/hockney.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// How long one message took.
struct MessageSample {
  std::size_t bytes = 0;
  double seconds = 0;
};

/// Hockney's parameters as samples show them.
struct MessageFit {
  Hockney message;  ///< neither parameter is negative
  double spread =
      0;  ///< median of |seconds − (α + β·bytes)| / seconds: 0 where all lie on the line
};

/// Theil and Sen's robust line through samples of any sizes, weighted for sizes that differ by
/// orders of magnitude: β is the median of the slopes between any two samples, weighted by the root
/// of their difference in bytes, so that neither many short messages nor one long one decide; α is
/// the median of what β leaves, weighted by 1/seconds, for α shows in short messages only. About a
/// quarter of the samples may be wild. Throws Error(invalid_argument) where the samples are all of
/// one size, or one took no time, a negative one, or one that is not finite.
MessageFit fit_messages(std::span<const MessageSample> samples);

}  // namespace cuboid
