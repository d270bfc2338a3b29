#include "models/simulator/equal_ranks.hpp"

#include "models/simulator/event_queue.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>

namespace cuboid::detail {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class EqualRanks {
 public:
  EqualRanks(std::span<const CommonMessage> messages, std::span<const double> bytes_per_second,
             bool earliest_first)
      : messages_(messages),
        capacity_(bytes_per_second),
        earliest_first_(earliest_first),
        waits_for_(messages.size()),
        later_(messages.size()),
        crossings_(messages.size()) {
    std::size_t peers = 0;
    for (std::size_t id = 0; id < messages.size(); ++id) {
      if (messages[id].peer) peers = std::max(peers, *messages[id].peer + 1);
      for (std::size_t kind = 0; kind < messages[id].crossings.size(); ++kind) {
        if (const double times = messages[id].crossings[kind]; times > 0)
          crossings_[id].push_back({kind, times});
      }
    }
    connections_.resize(peers);
  }

  double run() && {
    for (std::uint32_t id = 0; id < messages_.size(); ++id) {
      waits_for_[id] = messages_[id].after.size();
      for (const std::size_t earlier : messages_[id].after) later_[earlier].push_back(id);
      if (waits_for_[id] == 0) events_.add(0, Kind::ready, id);
    }
    while (!events_.empty() || !flows_.empty()) {
      flow_until(std::min(events_.empty() ? never : events_.next_time(), next_end()));
      // Rates are updated once for all events of one time, up to rounding.
      while (!events_.empty() && events_.next_time() <= now_ * (1 + 1e-13)) handle(events_.pop());
      if (outdated_) share_links();
    }
    return now_;
  }

 private:
  using Kind = SimulationEvent::Kind;

  struct Flow {
    std::uint32_t id = 0;
    double left = 0;
    double rate = 0;
    bool settled = false;
  };

  struct Crossing {
    std::size_t kind = 0;
    double times = 0;
  };

  struct Connection {
    bool flows = false;
    std::deque<std::uint32_t> waiting = {};
  };

  void handle(const SimulationEvent& event) {
    const CommonMessage& message = messages_[event.number];
    switch (event.kind) {
      case Kind::ready: work(message.send_seconds, Kind::enter, event.number); break;
      case Kind::enter: enter(event.number); break;
      case Kind::arrived: work(message.receive_seconds, Kind::done, event.number); break;
      default: done(event.number); break;
    }
  }

  void work(double seconds, Kind next, std::uint32_t id) {
    free_ = std::max(free_, now_) + seconds;
    events_.add(free_, next, id);
  }

  void done(std::uint32_t id) {
    for (const std::uint32_t later : later_[id]) {
      if (--waits_for_[later] == 0) events_.add(now_, Kind::ready, later);
    }
  }

  void enter(std::uint32_t id) {
    if (const auto peer = messages_[id].peer) {
      Connection& connection = connections_[*peer];
      if (std::exchange(connection.flows, true)) {
        connection.waiting.push_back(id);
        return;
      }
    }
    begin_flow(id);
  }

  void begin_flow(std::uint32_t id) {
    flows_.push_back({id, messages_[id].bytes});
    outdated_ = true;
  }

  // Starts the next message to the same peer.
  void follow(std::uint32_t id) {
    const auto peer = messages_[id].peer;
    if (!peer) return;
    Connection& connection = connections_[*peer];
    connection.flows = !connection.waiting.empty();
    if (!connection.flows) return;
    const auto next =
        earliest_first_ ? std::ranges::min_element(connection.waiting) : connection.waiting.begin();
    begin_flow(*next);
    connection.waiting.erase(next);
  }

  double next_end() const {
    double end = never;
    for (const Flow& flow : flows_) end = std::min(end, now_ + seconds_left(flow));
    return end;
  }

  static double seconds_left(const Flow& flow) { return flow.left > 0 ? flow.left / flow.rate : 0; }

  void flow_until(double time) {
    const double begun = now_;
    const double seconds = time - begun;
    now_ = time;
    ended_.clear();
    std::erase_if(flows_, [&](Flow& flow) {
      // Compares as next_end() adds: what is left of a flow may be less than the resolution of
      // time.
      const bool ends = begun + seconds_left(flow) <= time * (1 + 1e-13);
      flow.left -= flow.rate * seconds;
      if (ends) ended_.push_back(flow.id);
      return ends;
    });
    outdated_ = outdated_ || !ended_.empty();
    for (const std::uint32_t id : ended_) {
      events_.add(now_ + messages_[id].latency, Kind::arrived, id);
      follow(id);
    }
  }

  // Fills the links of all kinds at once. The kind that is full first sets the rate of its flows.
  void share_links() {
    outdated_ = false;
    std::vector<double> capacity(capacity_.begin(), capacity_.end());
    std::vector<double> crossed(capacity.size(), 0);  // crossings of flows that have no rate yet
    for (Flow& flow : flows_) {
      flow.rate = never;
      flow.settled = false;
      for (const Crossing& crossing : crossings_[flow.id]) crossed[crossing.kind] += crossing.times;
    }
    while (true) {
      const auto [share, full] = fullest(capacity, crossed);
      if (share == never) return;
      for (Flow& flow : flows_) {
        if (flow.settled || !crosses(flow, full)) continue;
        flow.settled = true;
        flow.rate = share;
        for (const Crossing& crossing : crossings_[flow.id]) {
          capacity[crossing.kind] = std::max(capacity[crossing.kind] - share * crossing.times, 0.0);
          crossed[crossing.kind] -= crossing.times;
        }
      }
      crossed[full] = 0;  // removes what rounding left
    }
  }

  bool crosses(const Flow& flow, std::size_t kind) const {
    return std::ranges::find(crossings_[flow.id], kind, &Crossing::kind) !=
           crossings_[flow.id].end();
  }

  // The least common rate of flows without a rate that fills a kind of links, and this kind.
  static std::pair<double, std::size_t> fullest(const std::vector<double>& capacity,
                                                const std::vector<double>& crossed) {
    std::pair<double, std::size_t> fullest{never, 0};
    for (std::size_t kind = 0; kind < capacity.size(); ++kind) {
      if (crossed[kind] > 0) fullest = std::min(fullest, {capacity[kind] / crossed[kind], kind});
    }
    return fullest;
  }

  std::span<const CommonMessage> messages_;
  std::span<const double> capacity_;
  bool earliest_first_;
  std::vector<std::size_t> waits_for_;
  std::vector<std::vector<std::uint32_t>> later_;  // the messages that wait for a message
  std::vector<std::vector<Crossing>> crossings_;
  EventQueue events_;
  std::vector<Connection> connections_;  // by peer
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> ended_;
  bool outdated_ = false;
  double free_ = 0;  // the time from which the processor is free
  double now_ = 0;
};

}  // namespace

double seconds_of_equal_ranks(std::span<const CommonMessage> messages,
                              std::span<const double> bytes_per_second, bool earliest_first) {
  return EqualRanks(messages, bytes_per_second, earliest_first).run();
}

}  // namespace cuboid::detail
