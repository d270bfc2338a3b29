#include "collectives/mpi/simulated_wires.hpp"

#include <cuboid/error.hpp>

#ifdef CUBOID_SIMULATED
#include <simgrid/actor.h>
#include <simgrid/host.h>
#endif

namespace cuboid::detail {

bool SimulatedWires::Wire::is_full() const {
  return messages > 1 && static_cast<double>(bytes) >= route.bytes_per_second * route.latency;
}

SimulatedWires::Wire& SimulatedWires::wire(int peer) {
  const auto [found, is_new] = wires_.try_emplace(peer);
  if (is_new) found->second.route = simulated_route(peer);
  return found->second;
}

void SimulatedWires::add(int peer, const WireMessage& message) {
  wire(peer).waiting.push_back(message);
}

std::optional<SimulatedWires::WireMessage> SimulatedWires::start(int peer, double now) {
  Wire& wire = this->wire(peer);
  if (wire.waiting.empty() || wire.is_full()) return std::nullopt;
  constexpr double rounding = 1e-12;
  if (wire.messages > 0 && now < wire.free_at - rounding) return std::nullopt;
  const WireMessage message = wire.waiting.front();
  wire.waiting.pop_front();
  ++wire.messages;
  wire.bytes += message.bytes;
  wire.free_at = now + static_cast<double>(message.bytes) / wire.route.bytes_per_second;
  return message;
}

void SimulatedWires::ended(int peer, std::size_t bytes) {
  Wire& wire = this->wire(peer);
  --wire.messages;
  wire.bytes -= bytes;
}

std::optional<double> SimulatedWires::set_timer(int peer, double now) {
  Wire& wire = this->wire(peer);
  if (wire.waiting.empty() || wire.is_full() || wire.has_timer) return std::nullopt;
  wire.has_timer = true;
  return wire.free_at - now;
}

void SimulatedWires::timer_ended(int peer) {
  wire(peer).has_timer = false;
}

#ifdef CUBOID_SIMULATED

SimulatedRoute simulated_route(int peer) {
  // The actors of smpirun have the numbers of their ranks plus one.
  const sg_actor_t other = sg_actor_by_pid(peer + 1);
  if (other == nullptr) throw Error(ErrorCode::internal, "a simulated rank has no actor");
  const sg_host_t here = sg_host_self();
  const sg_host_t there = sg_actor_get_host(other);
  return {sg_host_get_route_bandwidth(here, there), sg_host_get_route_latency(here, there)};
}

double simulated_memory_rate() {
  const sg_host_t here = sg_host_self();
  return sg_host_get_route_bandwidth(here, here);
}

#else

SimulatedRoute simulated_route(int) {
  throw Error(ErrorCode::internal, "only a simulated network tells its routes");
}
double simulated_memory_rate() {
  return simulated_route(0).bytes_per_second;
}

#endif

}  // namespace cuboid::detail
