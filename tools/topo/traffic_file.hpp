#pragma once

#include <cuboid/network.hpp>

#include "base/text_file.hpp"
#include "topology/discovery/draw.hpp"

namespace cuboid::detail::tools {

/// Reads what the links of a network carried, from the JSON that `lab links --json` prints:
///   {"seconds": 2.5, "links": [{"cable": 0, "from": "n0", "bytes": 4012896, "up": true}, ...]}
/// with an entry for each direction of each cable, which "from" tells, and other keys that do not
/// matter. Throws Error(parse) with file and line if a link is no link of the network, comes twice,
/// or is not there.
NetworkTraffic parse_traffic_file(const TextFile& file, const Network& network);

}  // namespace cuboid::detail::tools
