#pragma once

#include "models/messages/hockney.hpp"
#include "models/messages/measured.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// How long one message took.
struct MessageSample {
  std::size_t bytes = 0;
  double seconds = 0;
};

/// Hockney's parameters as samples show them.
struct MessageFit {
  Hockney message;  ///< neither parameter is negative
  double spread = 0;  ///< median of |seconds − (α + β·bytes)| / seconds: 0 if all lie on the line
};

/// Theil and Sen's robust line through samples of any sizes, weighted for sizes that differ by
/// orders of magnitude: β is the median of the slopes between any two samples, weighted by the root
/// of their difference in bytes, so that neither many short messages nor one long one decide; α is
/// the median of what β leaves, weighted by 1/seconds, for α shows in short messages only. About a
/// quarter of the samples may be wild. Throws Error(invalid_argument) if the samples are all of
/// one size, or one took no time, a negative one, or one that is not finite.
MessageFit fit_messages(std::span<const MessageSample> samples);

/// The same line, and how sure it is.
struct MeasuredLine {
  Measured alpha;
  Measured beta;
};

/// fit_messages() of the samples; the intervals are what lines through resampled samples give
/// (Efron's bootstrap). Deterministic. Throws what fit_messages() throws.
MeasuredLine measure_line(std::span<const MessageSample> samples);

/// Messages of at least so many bytes, up to where the next line begins, take α + β·bytes.
struct MessageLine {
  std::size_t from_bytes = 0;
  Hockney message;
};

/// The lines that samples lie on, by ascending sizes: a new one begins where the network changes
/// its way of sending (another protocol, another buffer), which shows as another slope or a step.
/// The first begins at 0. Each has three sizes or more, and halves the error at least. Throws what
/// fit_messages() throws.
std::vector<MessageLine> fit_lines(std::span<const MessageSample> samples);

}  // namespace cuboid::detail
