#pragma once

namespace cuboid::detail {

/// Hockney's model of a network: a message of m bytes takes α + β·m seconds (Quintin et al. 2013,
/// §IV).
struct Hockney {
  double alpha = 0;  ///< seconds per message
  double beta = 0;   ///< seconds per byte
};

/// LogGP (Alexandrov et al. 1995), in seconds. It extends LogP (Culler et al. 1993) by long
/// messages. A processor is busy for o when it begins a message and for o when it receives one.
/// Each byte follows the byte before it after G, and the last byte is in flight for L. LogP has no
/// G: its messages are short. Solomonik et al. 2011 write g for what is G here, the reciprocal of a
/// link's bandwidth.
struct LogGP {
  double latency = 0;           ///< L
  double send_overhead = 0;     ///< o of the sender
  double receive_overhead = 0;  ///< o of the receiver
  double gap = 0;       ///< g: least time between the beginnings of two messages of one sender
  double byte_gap = 0;  ///< G: per byte
};

/// LogP's parameters with one overhead for sender and receiver.
LogGP log_p(double latency, double overhead, double gap, double byte_gap = 0);

/// One message from beginning to end: o + G·m + L + o.
double message_seconds(const LogGP& network, double bytes);

/// LogGP reduced to Hockney's parameters, for messages one after the other: α = 2o + L, β = G.
Hockney hockney(const LogGP& network);

/// LogGP with Hockney's parameters: all of α is latency, so processors are never busy.
LogGP log_gp(const Hockney& network);

}  // namespace cuboid::detail
