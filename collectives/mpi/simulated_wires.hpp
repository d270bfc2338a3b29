#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>

namespace cuboid::detail {

struct MpiMessage;

/// A route of a simulated network: the bandwidth and latency of a pair of ranks' messages while
/// nothing else uses the network.
struct SimulatedRoute {
  double bytes_per_second = 0;
  double latency = 0;  ///< seconds
};

/// Decides when a simulated rank's messages start. SimGrid shares a link between all messages sent
/// at once. A real link carries the messages of a pair one after the other, and the latency of a
/// message passes while the message before it flows. So a message starts when the message before it
/// would have left on an idle route, or has arrived. If other pairs' messages slow these down, the
/// messages in flight are limited to as many as fill the route, and one more.
class SimulatedWires {
 public:
  struct WireMessage {
    MpiMessage* message;
    std::size_t bytes;
  };

  void add(int peer, const WireMessage& message);
  /// Takes the next message to a peer out of the queue if it may start now.
  std::optional<WireMessage> start(int peer, double now);
  void ended(int peer, std::size_t bytes);
  /// The seconds for which a timer must run, if one is needed: the peer has messages that wait only
  /// for time to pass, and no timer runs. Otherwise nullopt.
  std::optional<double> set_timer(int peer, double now);
  void timer_ended(int peer);

 private:
  struct Wire {
    SimulatedRoute route;
    std::deque<WireMessage> waiting;
    std::size_t messages = 0;  // in flight
    std::size_t bytes = 0;     // the bytes of the messages in flight
    double free_at = 0;  // the time at which the last message would have left on an idle route
    bool has_timer = false;

    bool is_full() const;
  };

  Wire& wire(int peer);

  std::unordered_map<int, Wire> wires_;
};

/// The route of this rank's messages to another rank.
SimulatedRoute simulated_route(int peer);
/// The bytes per second of this rank's messages to itself, which have no latency.
double simulated_memory_rate();

}  // namespace cuboid::detail
