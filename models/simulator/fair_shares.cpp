#include "models/simulator/fair_shares.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cuboid::detail {

FairShares::FairShares(std::vector<double> bytes_per_second, double incast_loss)
    : incast_loss_(incast_loss), links_(bytes_per_second.size()) {
  for (std::size_t link = 0; link < links_.size(); ++link)
    links_[link].capacity = bytes_per_second[link];
}

double FairShares::efficiency(const SharedLink& link) const {
  const auto sides = static_cast<double>(link.sides.size());
  return sides > 1 ? 1 - incast_loss_ * (1 - 1 / sides) : 1;
}

// Calls visit(link, side) for the links whose queues a flow fills.
template <class Visit>
void FairShares::visit_filled(const SharedFlow& flow, const Visit& visit) {
  constexpr int own_node = -1;
  int side = own_node;
  for (const int number : flow.links.first(flow.filled_queues)) {
    visit(links_[static_cast<std::size_t>(number)], side);
    side = number;
  }
}

void FairShares::touch(std::span<const int> links) {
  for (const int number : links) {
    SharedLink& link = links_[static_cast<std::size_t>(number)];
    if (!std::exchange(link.dirty, true)) dirty_.push_back(number);
  }
}

void FairShares::begin(std::size_t flow, std::span<const int> links, std::size_t filled_queues) {
  if (flow >= flows_.size()) flows_.resize(flow + 1);
  flows_[flow] = {.links = links, .filled_queues = filled_queues};
  for (const int number : links) links_[static_cast<std::size_t>(number)].flows.push_back(flow);
  visit_filled(flows_[flow], [](SharedLink& link, int from) {
    const auto side = std::ranges::find(link.sides, from, &LinkInput::link);
    if (side == link.sides.end()) {
      link.sides.push_back({from, 1});
    } else {
      ++side->flows;
    }
  });
  touch(links);
}

void FairShares::end(std::size_t flow) {
  visit_filled(flows_[flow], [](SharedLink& link, int from) {
    const auto side = std::ranges::find(link.sides, from, &LinkInput::link);
    if (--side->flows == 0) link.sides.erase(side);
  });
  for (const int number : flows_[flow].links) {
    SharedLink& link = links_[static_cast<std::size_t>(number)];
    *std::ranges::find(link.flows, flow) = link.flows.back();
    link.flows.pop_back();
  }
  touch(flows_[flow].links);
}

void FairShares::set_capacity(int link, double bytes_per_second) {
  links_[static_cast<std::size_t>(link)].capacity = bytes_per_second;
  touch(std::span(&link, 1));
}

// All links and flows that are connected, through shared links, to a link that changed.
void FairShares::gather() {
  part_links_.clear();
  part_flows_.clear();
  for (const int number : dirty_) {
    links_[static_cast<std::size_t>(number)].dirty = false;
    links_[static_cast<std::size_t>(number)].gathered = true;
    part_links_.push_back(number);
  }
  dirty_.clear();
  for (std::size_t next = 0; next < part_links_.size(); ++next) {
    SharedLink& link = links_[static_cast<std::size_t>(part_links_[next])];
    for (const std::size_t flow : link.flows) {
      if (std::exchange(flows_[flow].gathered, true)) continue;
      part_flows_.push_back(flow);
      for (const int other : flows_[flow].links) {
        if (!std::exchange(links_[static_cast<std::size_t>(other)].gathered, true))
          part_links_.push_back(other);
      }
    }
  }
}

void FairShares::settle(std::size_t number, double rate) {
  SharedFlow& flow = flows_[number];
  flow.settled = true;
  for (const int link : flow.links) {
    SharedLink& used = links_[static_cast<std::size_t>(link)];
    used.left = std::max(used.left - rate, 0.0);
    --used.open;
  }
  if (flow.rate == rate) return;
  flow.rate = rate;
  changed_.push_back(number);
}

// Progressive filling: the link with the smallest share per flow fixes the rates of its flows.
const std::vector<std::size_t>& FairShares::recompute() {
  changed_.clear();
  gather();
  computed_ += part_flows_.size();
  for (const int number : part_links_) {
    SharedLink& link = links_[static_cast<std::size_t>(number)];
    link.gathered = false;
    link.left = link.capacity * efficiency(link);
    link.open = link.flows.size();
  }
  for (const std::size_t flow : part_flows_) flows_[flow].gathered = flows_[flow].settled = false;
  for (std::size_t settled = 0; settled < part_flows_.size();) {
    double least = std::numeric_limits<double>::infinity();
    for (const int number : part_links_) {
      const SharedLink& link = links_[static_cast<std::size_t>(number)];
      if (link.open > 0) least = std::min(least, link.left / static_cast<double>(link.open));
    }
    // Links that are equal but for rounding are filled at once: symmetric patterns need one round.
    constexpr double rounding = 1 + 1e-12;
    for (const int number : part_links_) {
      const SharedLink& link = links_[static_cast<std::size_t>(number)];
      if (link.open == 0 || link.left / static_cast<double>(link.open) > least * rounding) continue;
      for (const std::size_t flow : link.flows) {
        if (flows_[flow].settled) continue;
        settle(flow, least);
        ++settled;
      }
    }
  }
  return changed_;
}

double FairShares::load(int link) const {
  const SharedLink& used = links_[static_cast<std::size_t>(link)];
  double sum = 0;
  for (const std::size_t flow : used.flows) sum += flows_[flow].rate;
  return sum / efficiency(used);
}

}  // namespace cuboid::detail
