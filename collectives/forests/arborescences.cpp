#include "collectives/forests/arborescences.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// A tree that is growing, or several copies of it while they are still equal.
struct Growing {
  int copies;
  std::vector<bool> has;     // by node
  std::vector<int> reached;  // nodes in the order in which the tree reached them
  std::vector<Edge> edges = {};
  std::size_t next_node = 0;  // index in `reached` of the node where the next arc starts
  std::size_t next_arc = 0;   // index of the next arc among the arcs from that node

  bool spans() const { return reached.size() == has.size(); }
};

class Grower {
 public:
  Grower(int nodes, std::span<const Arc> arcs, std::span<const int> roots, int copies)
      : nodes_(index(nodes)),
        arcs_(arcs.begin(), arcs.end()),
        from_(nodes_),
        into_(nodes_),
        flow_(arcs.size(), 0) {
    for (std::size_t arc = 0; arc < arcs_.size(); ++arc) {
      from_[index(arcs_[arc].from)].push_back(arc);
      into_[index(arcs_[arc].to)].push_back(arc);
    }
    for (const int root : roots) {
      Growing tree{copies, std::vector<bool>(nodes_, false), {root}};
      tree.has[index(root)] = true;
      trees_.push_back(std::move(tree));
    }
  }

  std::vector<Arborescence> grow() && {
    while (true) {
      Growing* smallest = nullptr;
      for (Growing& tree : trees_) {
        if (tree.spans()) continue;
        if (smallest == nullptr || tree.reached.size() < smallest->reached.size()) smallest = &tree;
      }
      if (smallest == nullptr) break;
      extend(static_cast<std::size_t>(smallest - trees_.data()));
    }
    std::vector<Arborescence> result;
    for (Growing& tree : trees_)
      result.push_back({tree.reached.front(), tree.copies, std::move(tree.edges)});
    return result;
  }

 private:
  static constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

  // Adds one arc to a tree. If not all copies of the tree can have the arc, the other copies become
  // a tree of their own.
  void extend(std::size_t number) {
    while (true) {
      Growing& tree = trees_[number];
      if (tree.next_node == tree.reached.size()) {
        throw Error(ErrorCode::internal,
                    fmt::format("{} copies of a tree out of node {} end after {} of {} nodes",
                                tree.copies, tree.reached.front(), tree.reached.size(), nodes_));
      }
      const auto& choice = from_[index(tree.reached[tree.next_node])];
      if (tree.next_arc == choice.size()) {
        ++tree.next_node;
        tree.next_arc = 0;
        continue;
      }
      const std::size_t arc = choice[tree.next_arc++];
      const int copies = spare(number, arc);
      if (copies == 0) continue;
      if (copies < tree.copies) {
        Growing others = tree;
        others.copies -= copies;
        tree.copies = copies;
        trees_.push_back(std::move(others));
      }
      Growing& grown = trees_[number];
      const int to = arcs_[arc].to;
      arcs_[arc].capacity -= copies;
      grown.has[index(to)] = true;
      grown.reached.push_back(to);
      grown.edges.push_back({arcs_[arc].from, to});
      return;
    }
  }

  // The number of copies of a tree that can have an arc so that the remaining capacity still
  // suffices for all trees. Consider a set of nodes with the arc's end but without its start: the
  // arcs into the set, less one for each tree that has yet to enter it, are to spare. The result is
  // the minimum over all such sets. It is computed as a flow from the arc's start to its end, over
  // the arcs, and over each other tree to any node that this tree has.
  int spare(std::size_t number, std::size_t arc) {
    start_ = arcs_[arc].from;
    end_ = arcs_[arc].to;
    if (trees_[number].has[index(end_)]) return 0;
    int wanted = std::min(trees_[number].copies, arcs_[arc].capacity);
    if (wanted == 0) return 0;
    others_.clear();
    int needed = 0;
    for (std::size_t other = 0; other < trees_.size(); ++other) {
      // A tree that has the arc's end already needs no arc into it.
      if (other == number || trees_[other].has[index(end_)]) continue;
      others_.push_back(other);
      needed += trees_[other].copies;
    }
    to_tree_.assign(others_.size(), 0);
    out_of_tree_.assign(others_.size() * nodes_, 0);
    int flow = 0;
    while (flow < needed + wanted) {
      const int more = augment(needed + wanted - flow);
      if (more == 0) break;
      flow += more;
    }
    for (const std::size_t used : touched_) flow_[used] = 0;
    touched_.clear();
    return std::max(flow - needed, 0);
  }

  // Looks for an augmenting path in the residual graph, backwards from the end, because most trees
  // are close to the end. Vertices are nodes, then trees.
  int augment(int most) {
    struct Step {
      std::size_t towards;  // the next vertex on the way to the end
      std::size_t arc;      // or nothing, between a node and a tree
    };
    std::vector<Step> steps(nodes_ + others_.size(), {nothing, nothing});
    std::vector<std::size_t> queue = {index(end_)};
    const auto visit = [&](std::size_t vertex, std::size_t towards, std::size_t arc) {
      if (steps[vertex].towards != nothing || vertex == index(end_)) return;
      steps[vertex] = {towards, arc};
      queue.push_back(vertex);
    };
    const std::size_t start = index(start_);
    for (std::size_t next = 0; next < queue.size() && steps[start].towards == nothing; ++next) {
      const std::size_t vertex = queue[next];
      if (vertex >= nodes_) {
        const std::size_t tree = vertex - nodes_;
        if (to_tree_[tree] < trees_[others_[tree]].copies) visit(start, vertex, nothing);
        for (std::size_t node = 0; node < nodes_; ++node) {
          if (out_of_tree_[tree * nodes_ + node] > 0) visit(node, vertex, nothing);
        }
        continue;
      }
      for (std::size_t tree = 0; tree < others_.size(); ++tree) {
        if (trees_[others_[tree]].has[vertex]) visit(nodes_ + tree, vertex, nothing);
      }
      for (const std::size_t arc : into_[vertex]) {
        if (flow_[arc] < arcs_[arc].capacity) visit(index(arcs_[arc].from), vertex, arc);
      }
      for (const std::size_t arc : from_[vertex]) {
        if (flow_[arc] > 0) visit(index(arcs_[arc].to), vertex, arc);
      }
    }
    if (steps[start].towards == nothing) return 0;

    const auto along_way = [&](const auto& act) {
      for (std::size_t at = start; at != index(end_); at = steps[at].towards) act(at, steps[at]);
    };
    along_way([&](std::size_t at, const Step& step) {
      if (step.arc != nothing) {
        const bool forward = arcs_[step.arc].to == static_cast<int>(step.towards);
        most =
            std::min(most, forward ? arcs_[step.arc].capacity - flow_[step.arc] : flow_[step.arc]);
      } else if (step.towards >= nodes_) {
        const std::size_t tree = step.towards - nodes_;
        most = std::min(most, at == start ? trees_[others_[tree]].copies - to_tree_[tree]
                                          : out_of_tree_[tree * nodes_ + at]);
      }
    });
    along_way([&](std::size_t at, const Step& step) {
      if (step.arc != nothing) {
        touched_.push_back(step.arc);
        flow_[step.arc] += arcs_[step.arc].to == static_cast<int>(step.towards) ? most : -most;
      } else if (step.towards >= nodes_) {
        const std::size_t tree = step.towards - nodes_;
        (at == start ? to_tree_[tree] : out_of_tree_[tree * nodes_ + at]) +=
            at == start ? most : -most;
      } else {
        out_of_tree_[(at - nodes_) * nodes_ + step.towards] += most;
      }
    });
    return most;
  }

  std::size_t nodes_;
  std::vector<Arc> arcs_;  // their capacity is the capacity that is left
  std::vector<std::vector<std::size_t>> from_;
  std::vector<std::vector<std::size_t>> into_;
  std::vector<Growing> trees_;

  // The state of the current flow.
  int start_ = 0;
  int end_ = 0;
  std::vector<int> flow_;  // by arc
  std::vector<std::size_t> touched_;
  std::vector<std::size_t> others_;  // trees that have not reached the arc's end yet
  std::vector<int> to_tree_;         // flow from the arc's start to each of these trees
  std::vector<int> out_of_tree_;     // flow out of each of these trees, by tree and node
};

}  // namespace

std::vector<Arborescence> grow_arborescences(int nodes, std::span<const Arc> arcs,
                                             std::span<const int> roots, int copies) {
  return Grower(nodes, arcs, roots, copies).grow();
}

}  // namespace cuboid::detail
