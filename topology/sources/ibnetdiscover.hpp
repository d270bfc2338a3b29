#pragma once

#include <cuboid/network.hpp>

#include "base/text_file.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// True if a text looks like the output of `ibnetdiscover`.
bool is_ibnetdiscover(std::string_view text);

/// What the output of `ibnetdiscover` describes.
struct InfinibandFabric {
  Network network;
  std::vector<std::string> doubts = {};  ///< what of it was passed over; one line each
};

/// The fabric that the output of `ibnetdiscover` (plain or grouped) describes: switches, hosts, and
/// a cable for every pair of ports that name each other, with the data rate of its width and speed
/// (4xEDR is 100 Gbit/s; 0 for one not known).
///
/// A host is named by the first word of its adapter's description where the second is the adapter's
/// ("node7 mlx5_0", "node7 HCA-1"), and its adapters are one node then; else by description or
/// GUID. A switch is named by its description, by its GUID where several have the same one.
///
/// Cables from a node to itself, and lines of another form before the first of its own (what was
/// said on stderr), are left out and doubted.
///
/// Throws Error(parse) with file and line: unknown or doubled nodes and ports, a port that the
/// other end does not confirm, and lines of another form.
InfinibandFabric parse_ibnetdiscover(const TextFile& file);

}  // namespace cuboid::detail
