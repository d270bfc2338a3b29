#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The flows on each link, and their rates by max-min fairness (Bertsekas and Gallager, Data
/// Networks, §6.5): no flow can become faster without slowing down a flow that is no faster. The
/// caller numbers flows 0, 1, 2, ….
class FairShares {
 public:
  /// @param bytes_per_second  by link; positive.
  /// @param incast_loss       the fraction of its rate that a link loses if flows enter its queue
  ///                          from many sides (over different links, or as their first). With n
  ///                          sides it loses 1 - 1/n of this fraction; 0 is ideal sharing. TCP's
  ///                          flows from different sides make each other stop and go; flows from
  ///                          one side were queued before.
  explicit FairShares(std::vector<double> bytes_per_second, double incast_loss = 0);

  /// A flow over these links, at least one, begins; end() ends it. `links` must stay valid in
  /// between. Rates are outdated until update().
  /// @param filled_queues  number of links, from the first on, whose queues the flow fills: 0 if it
  /// fits into them; links that stand for a node's limits do not count.
  void begin(std::size_t flow, std::span<const int> links, std::size_t filled_queues);
  void begin(std::size_t flow, std::span<const int> links) { begin(flow, links, links.size()); }
  void end(std::size_t flow);

  /// Sets a positive capacity. Rates are outdated until update().
  void set_capacity(int link, double bytes_per_second);

  /// Computes the rates of all flows that may have changed, and calls `changed(flow,
  /// bytes_per_second)` for each flow whose rate has changed. Takes time linear in the number of
  /// flows that are connected, by shared links, to a flow that began or ended.
  template <class Changed>
  void update(const Changed& changed) {
    for (const std::size_t flow : recompute()) changed(flow, flows_[flow].rate);
  }

  /// The bytes per second that flow over a link, including the bytes that the link loses.
  double load(int link) const;
  /// The number of rates that have been computed.
  std::size_t computed() const { return computed_; }
  double capacity(int link) const { return links_[static_cast<std::size_t>(link)].capacity; }

 private:
  struct SharedFlow {
    std::span<const int> links;
    std::size_t filled_queues = 0;
    double rate = 0;
    bool settled = false;  // has its rate in this round
    bool gathered = false;
  };
  /// A side from which flows enter a link's queue.
  struct LinkInput {
    int link = 0;
    std::size_t flows = 0;
  };
  struct SharedLink {
    double capacity = 0;
    std::vector<std::size_t> flows;
    std::vector<LinkInput> sides;
    double left = 0;       // capacity left for flows without a rate
    std::size_t open = 0;  // number of flows without a rate
    bool gathered = false;
    bool dirty = false;
  };

  double efficiency(const SharedLink& link) const;
  template <class Visit>
  void visit_filled(const SharedFlow& flow, const Visit& visit);
  void touch(std::span<const int> links);
  const std::vector<std::size_t>& recompute();
  void gather();
  void settle(std::size_t flow, double rate);

  double incast_loss_ = 0;
  std::size_t computed_ = 0;
  std::vector<SharedLink> links_;
  std::vector<SharedFlow> flows_;
  std::vector<int> dirty_;
  // Memory of recompute(), kept so that it is not allocated again and again.
  std::vector<int> part_links_;
  std::vector<std::size_t> part_flows_;
  std::vector<std::size_t> changed_;
};

}  // namespace cuboid::detail
