#include "models/simulator/tree_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace cuboid::detail {

namespace {

using Times = std::vector<double>;  // by segment

// The children of each node, in the order of the edges.
class Children {
 public:
  Children(int nodes, const PipelinedTree& tree)
      : first_(static_cast<std::size_t>(nodes) + 1, 0), children_(tree.edges.size()) {
    for (const auto& edge : tree.edges) ++first_[static_cast<std::size_t>(edge.parent) + 1];
    for (std::size_t node = 1; node < first_.size(); ++node) first_[node] += first_[node - 1];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const auto& edge : tree.edges)
      children_[next[static_cast<std::size_t>(edge.parent)]++] = edge.child;
  }
  std::span<const int> of(int node) const {
    const auto number = static_cast<std::size_t>(node);
    return std::span(children_).subspan(first_[number], first_[number + 1] - first_[number]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<int> children_;
};

// One tree's segments on links and in processors.
class Pipeline {
 public:
  Pipeline(int nodes, const PipelinedTree& tree, const TreeSegments& segments, const LogGP& network)
      : tree_(tree), segments_(segments), network_(network), children_(nodes, tree) {
    count_ = static_cast<std::size_t>(std::max(1.0, std::ceil(tree.bytes / segments.bytes)));
  }

  double run(TreeFlow flow) const {
    Times ready(count_, 0.0);
    if (flow != TreeFlow::outwards) ready = inwards();
    if (flow == TreeFlow::inwards) return ready.back();
    return outwards(std::move(ready));
  }

  // The work of the busiest node's processor.
  double work(int node, TreeFlow flow) const {
    const auto segments = static_cast<double>(count_);
    const auto children = static_cast<double>(children_.of(node).size());
    const double parents = node == tree_.root ? 0 : 1;
    const double send = std::max(network_.send_overhead, network_.gap);
    double seconds = 0;
    if (flow != TreeFlow::inwards)
      seconds += segments * (parents * network_.receive_overhead + children * send);
    if (flow != TreeFlow::outwards)
      seconds += segments * (parents * send + children * network_.receive_overhead) +
                 children * segments_.combine_seconds_per_byte * tree_.bytes;
    return seconds;
  }

 private:
  double bytes(std::size_t segment) const {
    return std::min(segments_.bytes, tree_.bytes - static_cast<double>(segment) * segments_.bytes);
  }

  // The times at which segments leave a link that they enter at these times.
  void cross(Times& times) const {
    const auto in_flight =
        segments_.in_flight > 0 ? static_cast<std::size_t>(segments_.in_flight) : count_;
    double free = 0;
    for (std::size_t segment = 0; segment < count_; ++segment) {
      if (segment >= in_flight) free = std::max(free, times[segment - in_flight]);
      const double taken = std::max(bytes(segment), 0.0) * network_.byte_gap;
      free = std::max(free, times[segment]) + taken + segments_.link_seconds;
      times[segment] = free + network_.latency;
    }
  }

  // The processor's work on a segment that arrives.
  struct TakingIn {
    double overhead = 0;
    double seconds_per_byte = 0;
  };

  // A node receives segments as they arrive, and sends each to `sends` other nodes once it has it
  // from all children. Its processor serves the earliest task first. Returns when each segment is
  // ready (sends = 0), or when it enters each link.
  std::vector<Times> pass(const std::vector<Times>& arrivals, std::size_t sends,
                          const TakingIn& taking) const {
    std::vector<Times> entered(std::max<std::size_t>(sends, 1), Times(count_));
    std::vector<std::size_t> next(arrivals.size(), 0);
    double free = 0;
    const auto finish = [&](std::size_t segment, double ready) {
      if (sends == 0) entered[0][segment] = ready;
      for (std::size_t child = 0; child < sends; ++child) {
        const double begin = std::max(free, ready);
        entered[child][segment] = begin + network_.send_overhead;
        free = begin + std::max(network_.send_overhead, network_.gap);
      }
    };
    Times done(count_, 0.0);  // the latest time of each segment
    std::vector<std::size_t> missing(count_, arrivals.size());
    std::size_t sent = 0;
    while (sent < count_) {
      std::size_t earliest = arrivals.size();
      for (std::size_t from = 0; from < arrivals.size(); ++from) {
        if (next[from] == count_) continue;
        if (earliest == arrivals.size() ||
            arrivals[from][next[from]] < arrivals[earliest][next[earliest]])
          earliest = from;
      }
      const bool can_send = missing[sent] == 0;
      if (can_send &&
          (earliest == arrivals.size() || done[sent] < arrivals[earliest][next[earliest]])) {
        finish(sent, done[sent]);
        ++sent;
        continue;
      }
      const std::size_t segment = next[earliest]++;
      free = std::max(free, arrivals[earliest][segment]) + taking.overhead +
             taking.seconds_per_byte * bytes(segment);
      done[segment] = std::max(done[segment], free);
      --missing[segment];
    }
    return entered;
  }

  struct Visit {
    int node;
    Times arrival;
  };

  // The time at which the last segment is on every node, if the root has its segments at `ready`.
  double outwards(Times ready) const {
    double last = ready.back();
    std::vector<Visit> open;
    open.push_back({tree_.root, std::move(ready)});
    while (!open.empty()) {
      const Visit visit = std::move(open.back());
      open.pop_back();
      TakingIn taking;
      if (visit.node != tree_.root) taking.overhead = network_.receive_overhead;
      const auto children = children_.of(visit.node);
      auto entered = pass({visit.arrival}, children.size(), taking);
      if (children.empty()) last = std::max(last, entered[0].back());
      for (std::size_t child = 0; child < children.size(); ++child) {
        cross(entered[child]);
        open.push_back({children[child], std::move(entered[child])});
      }
    }
    return last;
  }

  // The time at which each segment has been combined at the root.
  Times inwards() const {
    struct Open {
      int node;
      std::size_t next_child;
      std::vector<Times> arrivals;
    };
    std::vector<Open> path;
    path.push_back({tree_.root, 0, {}});
    while (true) {
      Open& here = path.back();
      const auto children = children_.of(here.node);
      if (here.next_child < children.size()) {
        const int child = children[here.next_child++];
        path.push_back({child, 0, {}});
        continue;
      }
      const bool is_root = path.size() == 1;
      const TakingIn taking{network_.receive_overhead, segments_.combine_seconds_per_byte};
      Times result = std::move(pass(here.arrivals, is_root ? 0 : 1, taking)[0]);
      if (is_root) return result;
      path.pop_back();
      cross(result);
      path.back().arrivals.push_back(std::move(result));
    }
  }

  const PipelinedTree& tree_;
  const TreeSegments& segments_;
  const LogGP& network_;
  Children children_;
  std::size_t count_ = 1;
};

}  // namespace

double tree_pipeline_seconds(int nodes, std::span<const PipelinedTree> trees, TreeFlow flow,
                             const TreeSegments& segments, const LogGP& network) {
  double seconds = 0;
  Times work(static_cast<std::size_t>(nodes), 0.0);
  for (const PipelinedTree& tree : trees) {
    const Pipeline pipeline(nodes, tree, segments, network);
    seconds = std::max(seconds, pipeline.run(flow));
    for (int node = 0; node < nodes; ++node)
      work[static_cast<std::size_t>(node)] += pipeline.work(node, flow);
  }
  return std::max(seconds, *std::ranges::max_element(work));
}

}  // namespace cuboid::detail
