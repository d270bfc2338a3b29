#pragma once

#include "models/messages/hockney.hpp"

namespace cuboid::detail {

/// LogGP (Alexandrov et al. 1995), which extends LogP (Culler et al. 1993) by long messages: a
/// processor is busy for o while it begins a message and again while it takes one in, each byte
/// follows the one before after G, and the last one is in flight for L. Seconds. LogP has no G:
/// its messages are short. Solomonik et al. 2011 call g what is G here, the reciprocal of a link's
/// bandwidth.
struct LogGP {
  double latency = 0;           ///< L
  double send_overhead = 0;     ///< o of who sends
  double receive_overhead = 0;  ///< o of who receives
  double gap = 0;       ///< g: between the beginnings of two messages of one sender, at least
  double byte_gap = 0;  ///< G: per byte
};

/// LogP's parameters with one overhead for sender and receiver.
LogGP log_p(double latency, double overhead, double gap, double byte_gap = 0);

/// One message from beginning to end: o + G·m + L + o.
double message_seconds(const LogGP& network, double bytes);

/// What is left of LogGP where one message follows the other: α = 2o + L, β = G.
Hockney hockney(const LogGP& network);

/// Hockney's parameters as LogGP's: all of α is latency, so that processors are never busy.
LogGP log_gp(const Hockney& network);

}  // namespace cuboid::detail
