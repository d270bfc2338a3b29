#include "tools/bench/bench_groups.hpp"

#include "tools/output/flag_values.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr int nowhere = -1;

}  // namespace

MpiGroup::MpiGroup(int colour, int rank, std::chrono::duration<double> limit)
    : watchdog_("one of MPI's collectives", limit) {
  const Watchdog::WatchedCall watched(watchdog_);
  // waits: until the watchdog ends the process
  MPI_Comm_split(MPI_COMM_WORLD, colour < 0 ? MPI_UNDEFINED : colour, rank, &group_);
}

MpiGroup::~MpiGroup() {
  const Watchdog::WatchedCall watched(watchdog_);
  // waits: until the watchdog ends the process
  if (group_ != MPI_COMM_NULL) MPI_Comm_free(&group_);
}

BenchGroups::BenchGroups(const BenchOptions& options, const Communicator& world)
    : network_(network_of(world)),
      mine_(world),
      own_cables_only_(options.lines || options.sub_box) {
  const std::vector<int> colour = colours(options, world.size());
  const int own = colour[static_cast<std::size_t>(world.rank())];
  groups_ = std::ranges::max(colour) + 1;
  ranks_ = static_cast<int>(std::ranges::count_if(colour, [](int one) { return one != nowhere; }));
  first_ = static_cast<int>(std::ranges::find(colour, 0) - colour.begin());
  const auto in_first = std::ranges::count(colour, 0);
  for (int other = 1; other < groups_; ++other) {
    if (std::ranges::count(colour, other) == in_first) continue;
    refuse(
        fmt::format("--lines {}: one line has {} ranks, another {}: start the same number of "
                    "ranks on every node",
                    *options.lines, in_first, std::ranges::count(colour, other)));
  }
  if (own_cables_only_) mine_ = world.split(own, world.rank());
  for (std::size_t rank = 0; network_ && rank < colour.size(); ++rank)
    if (colour[rank] == own) node_of_rank_.push_back(network_->node_of_rank[rank]);
  // A rank may wait in MPI for one that waits in Cuboid for its own deadline.
  if (options.run.against_mpi)
    mpi_ = std::make_unique<MpiGroup>(own, world.rank(), 2 * world.environment().timeout);
}

/// The group of each rank, numbered from 0.
std::vector<int> BenchGroups::colours(const BenchOptions& options, int ranks) const {
  std::vector<int> colour(static_cast<std::size_t>(ranks), 0);
  if (options.lines) colour = line_of_rank(network_, *options.lines);
  if (!options.sub_box) return colour;
  const auto shape = network_ ? network_->shape() : std::nullopt;
  if (!shape) {
    refuse(
        fmt::format("--sub-box {}: the network's shape is unknown: set it, e.g. "
                    "CUBOID_TOPOLOGY=torus:4x4",
                    options.sub_box->text));
  }
  const Cuboid box = options.sub_box->in(*shape);
  std::vector<int> numbers(colour.size(),
                           nowhere);  // group numbers of the lines inside the box, by line
  int next = 0;
  for (std::size_t rank = 0; rank < colour.size(); ++rank) {
    const auto node = network_->coordinate(network_->node_of_rank[rank]);
    if (!node || !box.contains(*node)) {
      colour[rank] = nowhere;
      continue;
    }
    int& number = numbers[static_cast<std::size_t>(colour[rank])];
    if (number == nowhere) number = next++;
    colour[rank] = number;
  }
  if (next == 0)
    refuse(fmt::format("--sub-box {}: no rank is in it: start ranks on its nodes",
                       options.sub_box->text));
  return colour;
}

std::optional<double> BenchGroups::cables(Operation operation, int root) const {
  if (!mine_.valid() || !network_ || network_->hosts.count() < 2) return std::nullopt;
  return bound_of(operation, root, {network_->network, node_of_rank_, own_cables_only_});
}

}  // namespace cuboid::detail::tools
