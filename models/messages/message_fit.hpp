#pragma once

#include "models/messages/log_gp.hpp"
#include "models/messages/measured.hpp"

#include <cstddef>
#include <span>

namespace cuboid::detail {

/// The seconds of one message.
struct MessageSample {
  std::size_t bytes = 0;
  double seconds = 0;
};

/// Fits Theil and Sen's robust line to samples of any sizes, with weights for sizes that differ by
/// orders of magnitude. Neither parameter is negative. β is the median of the slopes between any
/// two samples. A slope's weight is the root of the difference in bytes, so that neither many short
/// messages nor one long message decide. α is the median of seconds − β·bytes, with the weight
/// 1/seconds, because α shows in short messages only. About a quarter of the samples may be wild.
/// Throws Error(invalid_argument) if all samples are of one size, or if one has a time that is
/// zero, negative or not finite.
Hockney fit_messages(std::span<const MessageSample> samples);

/// A fitted line with confidence intervals.
struct MeasuredLine {
  Measured alpha;
  Measured beta;
};

/// fit_messages() of the samples, with intervals from lines through resampled samples (Efron's
/// bootstrap). Deterministic. Throws what fit_messages() throws.
MeasuredLine measure_line(std::span<const MessageSample> samples);

}  // namespace cuboid::detail
