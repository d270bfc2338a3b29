#pragma once

#include "base/text_file.hpp"
#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <span>
#include <string>

namespace cuboid::detail {

/// The network that a shape text describes ("torus:4x4@100mbit", see parse_shape), with the ranks
/// in it: at their coordinates if every rank has one, else in order (see place_in_order). Throws
/// Error(parse), Error(mismatch) for coordinates outside the shape, Error(invalid_argument) if the
/// ranks do not fit.
Finding network_of_spec(const std::string& spec, std::span<const LocalReport> reports,
                        const Hosts& hosts);

/// The network that a topology file describes, with the ranks in it: by the names of their hosts if
/// the file has these names, else in order. Throws Error(parse), Error(invalid_argument) if the
/// file has only some of the hosts or the ranks do not fit.
Finding network_of_file(const TextFile& file, const Hosts& hosts);

}  // namespace cuboid::detail
