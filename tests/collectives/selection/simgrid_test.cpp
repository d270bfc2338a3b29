// Cuboid's simulator against SimGrid's: the same transfers over the same links. SimGrid shares
// links as max-min fairly, but is another program by other people.
#include "collectives/forests/forests.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/forests/trees.hpp"
#include "collectives/rounds/pieces.hpp"
#include "collectives/schedules/slices.hpp"
#include "collectives/schedules/transfers.hpp"
#include "models/simulator/simulator.hpp"
#include "tests/collectives/schedules/schedules.hpp"

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail {
namespace simgrid_test {

namespace s4u = simgrid::s4u;

constexpr double bytes_per_second = 1e8;

// One of the two is there.
struct Activity {
  s4u::CommPtr message;
  s4u::ExecPtr work;

  s4u::ActivityPtr any() const {
    return message ? s4u::ActivityPtr(message) : s4u::ActivityPtr(work);
  }
  void before(const Activity& later) const {
    if (message) {
      message->add_successor(later.any());
    } else {
      work->add_successor(later.any());
    }
  }
};

// Seconds that SimGrid takes for the transfers of ranks that have a node each. Messages of a pair
// follow one another, as they do in Cuboid's simulator.
double run_simgrid(const TransferGraph& graph, const Routes& routes) {
  int arguments = 1;
  std::string name = "simgrid_test";
  std::array<char*, 2> values = {name.data(), nullptr};
  s4u::Engine engine(&arguments, values.data());
  // The plain model: no TCP windows, no traffic of acknowledgements, nominal rates.
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/TCP-gamma:0");
  s4u::Engine::set_config("network/weight-S:0");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("network/bandwidth-factor:1");
  s4u::Engine::set_config("network/latency-factor:1");

  auto* zone = s4u::create_full_zone("torus");
  std::vector<s4u::Host*> hosts;
  for (int node = 0; node < routes.network().nodes(); ++node)
    hosts.push_back(zone->create_host("node" + std::to_string(node), 1e9)->seal());
  std::vector<s4u::Link*> links;
  for (std::size_t link = 0; link < routes.network().links().size(); ++link)
    links.push_back(
        zone->create_link("link" + std::to_string(link), bytes_per_second)->set_latency(0)->seal());
  std::set<std::pair<int, int>> routed;
  for (const Transfer& transfer : graph.transfers()) {
    if (transfer.from == transfer.to) continue;
    if (!routed.insert({transfer.from, transfer.to}).second) continue;
    std::vector<int> numbers;
    routes.append(transfer.from, transfer.to, numbers);
    std::vector<s4u::LinkInRoute> route;
    for (const int number : numbers) route.emplace_back(links[static_cast<std::size_t>(number)]);
    zone->add_route(hosts[static_cast<std::size_t>(transfer.from)]->get_netpoint(),
                    hosts[static_cast<std::size_t>(transfer.to)]->get_netpoint(), nullptr, nullptr,
                    route, false);
  }
  zone->seal();

  std::vector<Activity> activities;
  std::map<std::pair<int, int>, TransferGraph::Id> last_of_pair;
  for (TransferGraph::Id id = 0; id < graph.size(); ++id) {
    const Transfer& transfer = graph[id];
    Activity activity;
    std::set<TransferGraph::Id> after(graph.after(id).begin(), graph.after(id).end());
    if (transfer.from == transfer.to) {
      activity.work = s4u::Exec::init();
      activity.work->set_flops_amount(0);
    } else {
      activity.message = s4u::Comm::sendto_init();
      activity.message->set_payload_size(static_cast<uint64_t>(transfer.bytes));
      const auto [last, is_first] = last_of_pair.try_emplace({transfer.from, transfer.to}, id);
      if (!is_first) after.insert(std::exchange(last->second, id));
    }
    for (const TransferGraph::Id earlier : after) activities[earlier].before(activity);
    activities.push_back(activity);
  }
  // Once they have their places they may start.
  for (TransferGraph::Id id = 0; id < graph.size(); ++id) {
    auto* const from = hosts[static_cast<std::size_t>(graph[id].from)];
    auto* const to = hosts[static_cast<std::size_t>(graph[id].to)];
    const Activity& activity = activities[id];
    if (activity.message) activity.message->set_source(from)->set_destination(to);
    if (activity.work) activity.work->set_host(from);
    if (activity.any()->get_state() == s4u::Activity::State::INITED)
      activity.any()->vetoable_start();
  }
  engine.run();
  return s4u::Engine::get_clock();
}

// One engine per process is all SimGrid allows.
double simgrid_seconds(const TransferGraph& graph, const Routes& routes) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const double seconds = run_simgrid(graph, routes);
    const bool written = write(ends[1], &seconds, sizeof seconds) == sizeof seconds;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  double seconds = -1;
  const bool answered = read(ends[0], &seconds, sizeof seconds) == sizeof seconds;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(answered && WIFEXITED(status) && WEXITSTATUS(status) == 0) << "SimGrid failed";
  return seconds;
}

void compare(const std::string& what, const Shape& shape, const Transfers& transfers) {
  const Routes routes = Routes::dimension_ordered(shape);
  const LogGP network{.byte_gap = 1 / bytes_per_second};
  const double ours =
      simulate(transfers.graph(), Platform::one_rank_per_node(routes, network)).seconds;
  const double theirs = simgrid_seconds(transfers.graph(), routes);
  EXPECT_GT(theirs, 0) << what << " on " << shape.to_string();
  EXPECT_NEAR(ours / theirs, 1, 0.05) << what << " on " << shape.to_string();
}

const std::array shapes = {Shape::torus(std::array{4, 4}), Shape::torus(std::array{3, 3, 3}),
                           Shape::mesh(std::array{4, 4}), Shape::torus(std::array{8, 8, 8})};

Transfers of_trees(const Conditions& conditions, const TreesShape& shape,
                   std::size_t segment_bytes) {
  Transfers transfers(conditions.ranks);
  transfers.add(plant_together(conditions, Flow::multicast, 1, shape),
                {.segment_bytes = segment_bytes});
  return transfers;
}

TEST(SimGrid, AgreesOnRectangularTrees) {
  for (const Shape& shape : shapes) {
    const auto conditions = Conditions::broadcast(static_cast<int>(shape.nodes()), 1 << 20, 0);
    compare("rectangular trees", shape,
            of_trees(
                conditions, [&](int, int root) { return rectangular_trees(shape, root); }, 32768));
  }
}

TEST(SimGrid, AgreesOnTreesThatShareLinks) {
  for (const Shape& shape : shapes) {
    const auto conditions = Conditions::broadcast(static_cast<int>(shape.nodes()), 1 << 20, 0);
    for (const NamedShape& tree : tree_shapes) {
      compare(tree.name, shape,
              of_trees(
                  conditions,
                  [&](int ranks, int root) {
                    return std::vector<std::vector<Edge>>{tree.shape(ranks, root)};
                  },
                  131072));
    }
  }
}

TEST(SimGrid, AgreesOnRounds) {
  for (const Shape& shape : {shapes[0], shapes[1], shapes[2]}) {
    const int ranks = static_cast<int>(shape.nodes());
    const auto pieces =
        in_pieces(Conditions::broadcast(ranks, 1 << 20, 0), static_cast<std::size_t>(ranks), 1);
    // Runs in one message each: several between the same two follow each other on a connection,
    // which SimGrid takes for flows of their own.
    const Pipelining whole{.segment_bytes = 1 << 20};
    Transfers transfers(ranks);
    transfers.add(van_de_geijn_broadcast(ranks, 0), pieces, whole);
    transfers.add(
        halving_doubling_allreduce(ranks),
        in_pieces(Conditions::allreduce(ranks, 1 << 20), static_cast<std::size_t>(ranks), 1),
        whole);
    compare("van de Geijn's, then halving and doubling", shape, transfers);
  }
}

TEST(SimGrid, AgreesOnAllToAll) {
  for (const Shape& shape : {shapes[0], shapes[1]}) {
    const int ranks = static_cast<int>(shape.nodes());
    Conditions conditions{ranks, {}};
    for (int distance = 1; distance < ranks; ++distance) {
      for (int rank = 0; rank < ranks; ++rank)
        conditions.blocks.push_back(
            {{conditions.blocks.size() * 5000, 5000}, rank, (rank + distance) % ranks});
    }
    Transfers transfers(ranks);
    transfers.add(direct_paths(conditions), {});
    compare("all-to-all", shape, transfers);
  }
}

}  // namespace simgrid_test
}  // namespace cuboid::detail
