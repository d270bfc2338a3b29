#include <cuboid/discovery.hpp>
#include <cuboid/error.hpp>

#include "topology/discovery/discover_from.hpp"
#include "topology/machine/local_report.hpp"
#include "topology/sources/coordinate_source.hpp"
#include "topology/sources/given_source.hpp"
#include "topology/sources/infiniband_source.hpp"
#include "topology/sources/kernel_source.hpp"
#include "topology/sources/slurm_source.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

std::string_view to_string(Source source) {
  switch (source) {
    case Source::shape: return "shape";
    case Source::file: return "file";
    case Source::coordinates: return "coordinates";
    case Source::kernel: return "kernel";
    case Source::infiniband: return "infiniband";
    case Source::slurm: return "slurm";
    case Source::flat: return "flat";
  }
  return "unknown";
}

std::optional<Shape> Discovery::shape() const {
  if (!recognition || !recognition->whole) return std::nullopt;
  return recognition->shape;
}

std::optional<Coordinate> Discovery::coordinate(int node) const {
  if (!recognition || !recognition->whole) return std::nullopt;
  const NodeIndex place = recognition->place.at(static_cast<std::size_t>(node));
  if (place < 0) return std::nullopt;
  return recognition->shape.coordinate(place);
}

Discovery discover(int rank, int size, const AllGather& all_gather, const Environment& environment,
                   const DiscoveryOptions& options) {
  const std::vector<std::vector<std::byte>> gathered =
      all_gather(to_bytes(make_local_report(rank, environment, options)));
  if (gathered.size() != static_cast<std::size_t>(size)) {
    throw Error(
        ErrorCode::internal,
        fmt::format("gathered the reports of {} ranks, but the job has {}", gathered.size(), size));
  }
  std::vector<LocalReport> reports;
  for (const std::vector<std::byte>& bytes : gathered) reports.push_back(report_from_bytes(bytes));
  return discover_from(reports);
}

Placement placement_of(const Discovery& discovery) {
  const int ranks = static_cast<int>(discovery.node_of_rank.size());
  if (!discovery.shape()) return Placement::flat(ranks);
  const Recognition& recognition = *discovery.recognition;
  std::map<NodeIndex, int> ranks_at;
  std::vector<Location> locations;
  for (const int node : discovery.node_of_rank) {
    const NodeIndex place = recognition.place[static_cast<std::size_t>(node)];
    if (place < 0) return Placement::flat(ranks);
    locations.push_back({place, ranks_at[place]++});
  }
  return Placement({recognition.shape, recognition.bytes_per_second}, std::move(locations));
}

}  // namespace cuboid
