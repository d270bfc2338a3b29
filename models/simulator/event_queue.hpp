#pragma once

#include <array>
#include <bit>
#include <cstddef>
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
  Kind kind = Kind::ready;
  std::uint32_t number = 0;  ///< number of a transfer, a connection, a link, or a rank
  std::uint32_t version = 0;
};

/// The events to come, the earliest first. In symmetric patterns many events happen at the same
/// time. So the queue sorts groups: a group has the events of one time, in the order of add().
class EventQueue {
 public:
  void add(double time, SimulationEvent::Kind kind, std::uint32_t number,
           std::uint32_t version = 0) {
    const std::uint32_t place = free_place(free_events_, events_);
    events_[place] = {{time, kind, number, version}, none};
    RecentGroup& recent = recent_group(time);
    if (recent.group != none && recent.time == time) {
      std::uint32_t& last = groups_[recent.group].last;
      last = events_[last].next = place;
      return;
    }
    recent = {time, free_place(free_groups_, groups_)};
    groups_[recent.group] = {place, place};
    times_.push({time, order_++, recent.group});
  }
  bool empty() const { return times_.empty(); }
  double next_time() const { return times_.top().time; }
  SimulationEvent pop() {
    const auto [time, order, number] = times_.top();
    EventGroup& group = groups_[number];
    const std::uint32_t place = group.first;
    const auto [event, next] = events_[place];
    free_events_.push_back(place);
    group.first = next;
    if (next != none) return event;
    if (RecentGroup& recent = recent_group(time); recent.group == number) recent.group = none;
    free_groups_.push_back(number);
    times_.pop();
    return event;
  }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  struct QueuedEvent {
    SimulationEvent event;
    std::uint32_t next = none;  // of its group
  };
  struct EventGroup {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  struct GroupTime {
    double time = 0;
    std::uint64_t order = 0;  // of groups of one time
    std::uint32_t group = none;
  };
  struct LaterGroup {
    bool operator()(const GroupTime& a, const GroupTime& b) const {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };
  struct RecentGroup {
    double time = 0;
    std::uint32_t group = none;
  };

  template <class Kept>
  static std::uint32_t free_place(std::vector<std::uint32_t>& free, std::vector<Kept>& all) {
    if (free.empty()) {
      all.emplace_back();
      return static_cast<std::uint32_t>(all.size() - 1);
    }
    const std::uint32_t place = free.back();
    free.pop_back();
    return place;
  }

  // A time whose group is no longer here begins another one, which comes after it.
  RecentGroup& recent_group(double time) {
    constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio
    return recent_[std::bit_cast<std::uint64_t>(time) * spread >> (64 - recent_bits)];
  }

  static constexpr int recent_bits = 8;
  std::priority_queue<GroupTime, std::vector<GroupTime>, LaterGroup> times_;
  std::vector<QueuedEvent> events_;
  std::vector<std::uint32_t> free_events_;
  std::vector<EventGroup> groups_;
  std::vector<std::uint32_t> free_groups_;
  std::array<RecentGroup, std::size_t{1} << recent_bits> recent_;
  std::uint64_t order_ = 0;
};

}  // namespace cuboid::detail
