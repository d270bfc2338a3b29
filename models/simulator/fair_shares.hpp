#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Which flows use which links at the moment, and the rates they get: those of max-min fairness
/// (Bertsekas and Gallager, Data Networks, §6.5), where no flow can be faster without one that is
/// no faster becoming slower. Flows are numbered 0, 1, 2, … by who uses this.
class FairShares {
 public:
  /// @param bytes_per_second  by link; positive.
  /// @param incast_loss  what links lose whose queues flows enter from different sides (over
  /// different links, or as the first): from n sides 1 - 1/n of this part of the rate. 0: nothing,
  /// as ideal sharing has it. TCP's flows make each other stop and go there; what comes from one
  /// side has been put in a row before.
  explicit FairShares(std::vector<double> bytes_per_second, double incast_loss = 0);

  /// A flow over these links, at least one, begins or ends. `links` must stay where they are in
  /// between. Rates are old until update().
  /// @param crowded  how many of the links, from the first on, have queues that it crowds: none
  /// where it fits into them, and not those that are a node's limits.
  void begin(std::size_t flow, std::span<const int> links, std::size_t crowded);
  void begin(std::size_t flow, std::span<const int> links) { begin(flow, links, links.size()); }
  void end(std::size_t flow);

  /// Positive. Rates are old until update().
  void set_capacity(int link, double bytes_per_second);

  /// Works out the rates of all flows that may have changed, and calls
  /// `changed(flow, bytes_per_second)` for each that has. Costs as much as there are flows that are
  /// linked by shared links to one that began or ended.
  template <class Changed>
  void update(const Changed& changed) {
    for (const std::size_t flow : recompute()) changed(flow, flows_[flow].rate);
  }

  /// Bytes per second over a link now, and what it loses.
  double load(int link) const;
  double capacity(int link) const { return links_[static_cast<std::size_t>(link)].capacity; }

 private:
  struct Flow {
    std::span<const int> links;
    std::size_t crowded = 0;
    double rate = 0;
    bool settled = false;  // has its rate in this round
    bool gathered = false;
  };
  /// Where flows come from that crowd a link.
  struct Side {
    int link = 0;
    std::size_t flows = 0;
  };
  struct Link {
    double capacity = 0;
    std::vector<std::size_t> flows;
    std::vector<Side> sides;
    double left = 0;       // capacity that flows without a rate may share
    std::size_t open = 0;  // how many of them there are
    bool gathered = false;
    bool dirty = false;
  };

  double efficiency(const Link& link) const;
  template <class Visit>
  void visit_crowded(const Flow& flow, const Visit& visit);
  void touch(std::span<const int> links);
  const std::vector<std::size_t>& recompute();
  void gather();
  void settle(std::size_t flow, double rate);

  double crowd_loss_ = 0;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<int> dirty_;
  // Of recompute(); kept so that nothing is allocated over and over.
  std::vector<int> part_links_;
  std::vector<std::size_t> part_flows_;
  std::vector<std::size_t> changed_;
};

}  // namespace cuboid::detail
