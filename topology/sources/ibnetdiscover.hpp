#pragma once

#include <cuboid/network.hpp>

#include "base/text_file.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// True if a text looks like the output of `ibnetdiscover`.
bool is_ibnetdiscover(std::string_view text);

/// The fabric that the output of `ibnetdiscover` describes.
struct InfinibandFabric {
  Network network;
  std::vector<std::string> doubts = {};  ///< parts of the output passed over; one line each
};

/// Reads the fabric from the output of `ibnetdiscover` (plain or grouped): switches, hosts, and a
/// cable for every pair of ports that name each other. A cable has the data rate of its width and
/// speed (4xEDR is 100 Gbit/s), or 0 if these are not known.
///
/// A host's name is the first word of its adapter's description if the second word names the
/// adapter ("node7 mlx5_0", "node7 HCA-1"); then all adapters of the host are one node. Otherwise
/// it is the description or the GUID. A switch's name is its description, or its GUID if several
/// switches have the same description.
///
/// Cables from a node to itself are left out, and so are lines of another form before the first
/// line of ibnetdiscover's own (messages from stderr). Both are reported as doubts.
///
/// Throws Error(parse) with file and line: unknown or doubled nodes and ports, a port that the
/// other end does not confirm, and lines of another form.
InfinibandFabric parse_ibnetdiscover(const TextFile& file);

}  // namespace cuboid::detail
