#pragma once

#include <cuboid/models/hockney.hpp>
#include <cuboid/topology/network.hpp>
#include <cuboid/topology/sources/text_file.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuboid {

/// What parameters were measured on. Where any of it differs, they are of something else.
struct ParametersKey {
  struct Host {
    std::string name;
    int ranks = 1;
    auto operator<=>(const Host&) const = default;
  };
  struct Cable {
    std::string from;  ///< the lesser name of the two
    std::string to;
    double bytes_per_second = 0;  ///< 0 where it is not known
    auto operator<=>(const Cable&) const = default;
  };
  std::vector<Host> hosts;    ///< ascending
  std::vector<Cable> cables;  ///< ascending; none where the network is not known
  bool operator==(const ParametersKey&) const = default;
};

/// The key of ranks on these hosts, which may come in any order.
/// @param network  what joins them; nullptr where it is not known.
ParametersKey parameters_key(std::span<const std::string> host_of_rank, const Network* network);

/// What the models are to reckon with, as measured. nullopt where it could not be: ranks on one
/// node do not show what a network does.
struct Parameters {
  ParametersKey key;
  std::optional<Hockney> between_nodes;
  std::optional<Hockney> within_node;
  std::optional<double> message_overhead;  ///< seconds; see NodeMemory::overhead
  std::optional<double> turn;              ///< seconds; see NodeMemory::turn
};

/// JSON, with the units in the keys' names. parse_parameters() reads the same values from it.
std::string to_json(const Parameters& parameters);

/// Throws Error(parse) "NAME:LINE: reason" for malformed text, another version, keys that are
/// unknown (of other units, maybe), missing or of the wrong kind, and numbers that are negative.
Parameters parse_parameters(const TextFile& file);

}  // namespace cuboid
