#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace cuboid::detail {

/// An event of a simulation. Events of equal times happen in the order in which they were added.
struct SimulationEvent {
  enum class Kind : std::uint8_t {
    ready,    ///< all that a transfer waits for is done
    enter,    ///< a transfer enters its connection
    drained,  ///< the last byte of a connection's message in flight has left
    arrived,  ///< a transfer's last byte is at the receiver, or, within a node, ready for it
    copies,   ///< a receiver begins to copy a transfer within a node
    copied,   ///< the receiver has copied it
    done,     ///< the receiver has received a transfer and worked on it
    emptied,  ///< a link's token bucket is empty
    worked,   ///< a rank's task on a shared core has ended
    go_on,    ///< a shared core goes on with its next task
  };
  double time = 0;
  std::uint64_t order = 0;
  Kind kind = Kind::ready;
  std::uint32_t number = 0;  ///< number of a transfer, a connection, a link, or a rank
  std::uint32_t version = 0;
};

/// The events to come, the earliest first.
class EventQueue {
 public:
  void add(double time, SimulationEvent::Kind kind, std::uint32_t number,
           std::uint32_t version = 0) {
    events_.push({time, order_++, kind, number, version});
  }
  bool empty() const { return events_.empty(); }
  double next_time() const { return events_.top().time; }
  SimulationEvent pop() {
    const SimulationEvent event = events_.top();
    events_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const SimulationEvent& a, const SimulationEvent& b) const {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };
  std::priority_queue<SimulationEvent, std::vector<SimulationEvent>, Later> events_;
  std::uint64_t order_ = 0;
};

}  // namespace cuboid::detail
