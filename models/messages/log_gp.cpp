#include "models/messages/log_gp.hpp"

namespace cuboid::detail {

LogGP log_p(double latency, double overhead, double gap, double byte_gap) {
  return {.latency = latency,
          .send_overhead = overhead,
          .receive_overhead = overhead,
          .gap = gap,
          .byte_gap = byte_gap};
}

double message_seconds(const LogGP& network, double bytes) {
  const Hockney message = hockney(network);
  return message.alpha + message.beta * bytes;
}

Hockney hockney(const LogGP& network) {
  return {.alpha = network.send_overhead + network.latency + network.receive_overhead,
          .beta = network.byte_gap};
}

LogGP log_gp(const Hockney& network) {
  return {.latency = network.alpha, .byte_gap = network.beta};
}

}  // namespace cuboid::detail
