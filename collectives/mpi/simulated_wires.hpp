#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>

namespace cuboid::detail {

struct MpiMessage;

/// A route of a simulated network: what the messages of a pair of ranks have on an idle one.
struct SimulatedRoute {
  double bytes_per_second = 0;
  double latency = 0;  ///< seconds
};

/// Decides when a simulated rank's messages start. SimGrid shares a link between all that is sent
/// at once; a real one carries the messages of a pair one after the other, and the latency of one
/// passes while the one before flows. So a message starts when the one before would have left on an
/// idle route, or has arrived. Where other pairs slow them down, no more are in flight than fill
/// the route, and one.
class SimulatedWires {
 public:
  struct WireMessage {
    MpiMessage* message;
    std::size_t bytes;
  };

  void add(int peer, const WireMessage& message);
  /// The next message to a peer, once, where it may start now.
  std::optional<WireMessage> start(int peer, double now);
  void ended(int peer, std::size_t bytes);
  /// Whether a timer is needed, and for how many seconds: then the peer has messages that wait for
  /// nothing else, and no timer runs.
  std::optional<double> set_timer(int peer, double now);
  void timer_ended(int peer);

 private:
  struct Wire {
    SimulatedRoute route;
    std::deque<WireMessage> waiting;
    std::size_t messages = 0;  // in flight
    std::size_t bytes = 0;     // of these
    double free_at = 0;        // when the latest would have left
    bool has_timer = false;

    bool is_full() const;
  };

  Wire& wire(int peer);

  std::unordered_map<int, Wire> wires_;
};

/// The route of this rank's messages to another.
SimulatedRoute simulated_route(int peer);
/// Bytes per second of its messages to itself, which have no latency.
double simulated_memory_rate();

}  // namespace cuboid::detail
