#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>

#include "tools/measurement/run_flags.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The options of `cuboid bench links`.
struct LinksOptions {
  RunOptions run;
  int window = 16;
};

/// What one direction of a cable carries, in bytes per second: the median of some windows.
struct LinkRates {
  double alone = 0;
  double together = 0;  ///< with all others at once, both ways
};

/// One direction of the cables between two nodes, and the ranks at its ends.
struct MeasuredLink {
  int from = 0;  ///< rank
  int to = 0;
  std::string from_node;
  std::string to_node;
  int cables = 1;
  double nominal = 0;  ///< bytes per second that the network says; 0: it does not
  LinkRates cuboid = {};
  std::optional<LinkRates> mpi = {};
};

/// The result of `cuboid bench links`.
struct LinksResult {
  LinksOptions options;
  int ranks = 0;
  std::string transport;
  std::vector<MeasuredLink> links;

  /// Whether a link is much slower than most, alone.
  bool slow(const MeasuredLink& link) const;
};

/// The directions of all cables with a rank at both ends, the lowest of its node; several cables
/// between two nodes are one. Pure.
std::vector<MeasuredLink> links_of(const Discovery& network);

/// Measures; the same result on every rank. Collective. Throws Error(invalid_argument) where the
/// network is unknown or has no cable between nodes with ranks.
LinksResult run_links(const LinksOptions& options, const Communicator& world);

nlohmann::ordered_json to_json(const LinksResult& result);
std::string to_text(const LinksResult& result);
/// OSU has no such table.
inline std::string to_osu(const LinksResult& result) {
  return to_text(result);
}

}  // namespace cuboid::detail::tools
