#include "topology/sources/coordinate_source.hpp"

#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "base/text_file.hpp"
#include "topology/sources/shape_network.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

[[noreturn]] void disagree(const std::string& message) {
  throw Error(ErrorCode::mismatch, message);
}

std::string text_of(const Coordinate& coordinate) {
  return fmt::format("{}", fmt::join(coordinate, ","));
}

bool has_coordinate(const LocalReport& report) {
  return !report.coordinate.text.empty();
}

/// True if all ranks have a coordinate, false if none has. Throws if only some have.
bool have_coordinates(std::span<const LocalReport> reports) {
  const auto with = std::ranges::find_if(reports, has_coordinate);
  const auto without = std::ranges::find_if_not(reports, has_coordinate);
  if (with == reports.end()) return false;
  if (without != reports.end()) {
    disagree(fmt::format(
        "rank {} has a coordinate ({}) but rank {} has none: give all ranks one, or none",
        with - reports.begin(), with->coordinate.text, without - reports.begin()));
  }
  return true;
}

void check_distinct(const std::vector<Coordinate>& coordinates, const Hosts& hosts) {
  std::map<Coordinate, std::size_t> host_at;
  for (std::size_t host = 0; host < coordinates.size(); ++host) {
    if (coordinates[host].size() != coordinates.front().size()) {
      disagree(fmt::format("hosts {} and {} have coordinates of different length: {} and {}",
                           hosts.names.front(), hosts.names[host], text_of(coordinates.front()),
                           text_of(coordinates[host])));
    }
    const auto [entry, added] = host_at.try_emplace(coordinates[host], host);
    if (!added) {
      disagree(fmt::format("hosts {} and {} both have coordinate {}", hosts.names[entry->second],
                           hosts.names[host], text_of(coordinates[host])));
    }
  }
}

/// The mesh that coordinates fill. Moves the coordinates so that they begin at 0.
Shape mesh_of(std::vector<Coordinate>& coordinates) {
  Coordinate low = coordinates.front();
  Coordinate high = coordinates.front();
  for (const Coordinate& coordinate : coordinates) {
    for (std::size_t axis = 0; axis < low.size(); ++axis) {
      low[axis] = std::min(low[axis], coordinate[axis]);
      high[axis] = std::max(high[axis], coordinate[axis]);
    }
  }
  std::vector<Axis> axes;
  std::size_t nodes = 1;
  for (std::size_t axis = 0; axis < low.size(); ++axis) {
    const auto extent = static_cast<std::size_t>(high[axis] - low[axis]) + 1;
    // If a box has more nodes than there are hosts, it has holes. The extents of absurd coordinates
    // are not multiplied any further.
    if (extent > coordinates.size() || nodes * extent > coordinates.size()) {
      disagree(
          fmt::format("the coordinates from {} to {} leave holes: {} hosts do not fill that box",
                      text_of(low), text_of(high), coordinates.size()));
    }
    nodes *= extent;
    axes.push_back({static_cast<int>(extent), false});
  }
  for (Coordinate& coordinate : coordinates) {
    for (std::size_t axis = 0; axis < low.size(); ++axis) coordinate[axis] -= low[axis];
  }
  return Shape(std::move(axes));
}

/// The shape that ranks were given with their coordinates; empty if no rank was given one.
std::string common_shape(std::span<const LocalReport> reports) {
  const std::string& shape = reports.front().coordinate.shape;
  for (std::size_t rank = 1; rank < reports.size(); ++rank) {
    if (reports[rank].coordinate.shape != shape) {
      disagree(fmt::format(
          "ranks 0 and {} were given different shapes with their coordinates: {} and {}", rank,
          in_quotes(shape), in_quotes(reports[rank].coordinate.shape)));
    }
  }
  return shape;
}

}  // namespace

Coordinate parse_coordinate(const std::string& text, const std::string& origin) {
  Coordinate coordinate;
  for (Cursor cursor(text);;) {
    const auto number = cursor.take_number();
    const bool end = cursor.at_end();
    if (!number || coordinate.size() == Shape::max_axes || (!end && !cursor.take(","))) {
      throw Error(ErrorCode::parse,
                  fmt::format("{}={}: give at most {} numbers >= 0 joined by commas, e.g. 2,0,1",
                              origin, in_quotes(text), Shape::max_axes));
    }
    coordinate.push_back(*number);
    if (end) return coordinate;
  }
}

std::optional<std::vector<Coordinate>> coordinates_of_hosts(std::span<const LocalReport> reports,
                                                            const Hosts& hosts) {
  if (!have_coordinates(reports)) return std::nullopt;
  std::vector<Coordinate> coordinates(hosts.names.size());
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const CoordinateReport& report = reports[rank].coordinate;
    const Coordinate coordinate = parse_coordinate(report.text, report.origin);
    const auto host = static_cast<std::size_t>(hosts.of_rank[rank]);
    const int first = hosts.first_rank[host];
    if (static_cast<std::size_t>(first) == rank) coordinates[host] = coordinate;
    if (coordinates[host] != coordinate) {
      disagree(fmt::format("ranks {} and {} are both on host {} but have coordinates {} and {}",
                           first, rank, hosts.names[host], text_of(coordinates[host]),
                           text_of(coordinate)));
    }
  }
  check_distinct(coordinates, hosts);
  return coordinates;
}

Answer network_of_coordinates(std::span<const LocalReport> reports, const Hosts& hosts) {
  auto coordinates = coordinates_of_hosts(reports, hosts);
  if (!coordinates)
    return Declined{"no rank has a coordinate (CUBOID_COORDINATE, or a function of the caller)"};
  const std::string handed = common_shape(reports);
  const ShapeSpec spec =
      handed.empty() ? ShapeSpec{mesh_of(*coordinates), {}} : parse_shape(handed);
  Finding finding;
  finding.network = network_with_hosts(spec, hosts, *coordinates);
  finding.node_of_rank = nodes_of_ranks(spec.shape, hosts, *coordinates);
  finding.evidence = fmt::format(
      "coordinates of {} hosts from {}; {}", hosts.count(), reports.front().coordinate.origin,
      handed.empty() ? "no wrap-around cables are assumed" : "the shape was given with them");
  finding.given_shape = spec.shape;
  finding.cables_known = true;
  return finding;
}

}  // namespace cuboid::detail
