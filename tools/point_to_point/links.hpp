#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/discovery.hpp>

#include "tools/measurement/bench_memory.hpp"
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
  BenchMemory memory = BenchMemory::host;  ///< of the sender and the receiver
};

/// The rates of one direction of a cable in bytes per second: medians of several windows.
struct LinkRates {
  double alone = 0;
  double together = 0;  ///< while all other links are busy in both directions
};

/// One direction of the cables between two nodes, and the ranks at its ends.
struct MeasuredLink {
  int from = 0;  ///< the sending rank
  int to = 0;
  std::string from_node;
  std::string to_node;
  int cables = 1;
  double nominal = 0;  ///< bytes per second that the network states; 0: unknown
  LinkRates cuboid = {};
  std::optional<LinkRates> mpi = {};
};

/// The result of `cuboid bench links`.
struct LinksResult {
  LinksOptions options;
  int ranks = 0;
  std::string transport;
  std::vector<MeasuredLink> links;

  /// True if a link, alone, is much slower than the median.
  bool slow(const MeasuredLink& link) const;
};

/// The directions of all cables that have ranks at both ends. A node's lowest rank stands for it;
/// several cables between two nodes count as one. Pure.
std::vector<MeasuredLink> links_of(const Discovery& network);

/// Measures all links. The result is the same on every rank. Collective. Throws
/// Error(invalid_argument) if the network is unknown or has no cable between nodes with ranks.
LinksResult run_links(const LinksOptions& options, const Communicator& world);

nlohmann::ordered_json to_json(const LinksResult& result);
std::string to_text(const LinksResult& result);
/// OSU's benchmarks have no such table.
inline std::string to_osu(const LinksResult& result) {
  return to_text(result);
}

}  // namespace cuboid::detail::tools
