#pragma once

#include "models/messages/hockney.hpp"
#include "models/messages/measured.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The seconds of one message.
struct MessageSample {
  std::size_t bytes = 0;
  double seconds = 0;
};

/// Hockney's parameters, fitted to samples.
struct MessageFit {
  Hockney message;  ///< neither parameter is negative
  double spread = 0;  ///< median of |seconds − (α + β·bytes)| / seconds: 0 if all lie on the line
};

/// Fits Theil and Sen's robust line to samples of any sizes, with weights for sizes that differ by
/// orders of magnitude. β is the median of the slopes between any two samples. A slope's weight is
/// the root of the difference in bytes, so that neither many short messages nor one long message
/// decide. α is the median of seconds − β·bytes, with the weight 1/seconds, because α shows in
/// short messages only. About a quarter of the samples may be wild. Throws Error(invalid_argument)
/// if all samples are of one size, or if one has a time that is zero, negative or not finite.
MessageFit fit_messages(std::span<const MessageSample> samples);

/// A fitted line with confidence intervals.
struct MeasuredLine {
  Measured alpha;
  Measured beta;
};

/// fit_messages() of the samples, with intervals from lines through resampled samples (Efron's
/// bootstrap). Deterministic. Throws what fit_messages() throws.
MeasuredLine measure_line(std::span<const MessageSample> samples);

/// A line that holds from `from_bytes` to the beginning of the next line: α + β·bytes.
struct MessageLine {
  std::size_t from_bytes = 0;
  Hockney message;
};

/// The lines on which samples lie, by ascending sizes. A new line begins where the network changes
/// its way of sending (another protocol, another buffer), which changes the slope or the height.
/// The first line begins at size 0. Each line has three sizes or more, and at least halves the
/// error. Throws what fit_messages() throws.
std::vector<MessageLine> fit_lines(std::span<const MessageSample> samples);

}  // namespace cuboid::detail
