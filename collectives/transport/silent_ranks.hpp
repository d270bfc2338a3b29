#pragma once

#include "collectives/transport/group.hpp"
#include "collectives/transport/transport.hpp"

#include <string>

namespace cuboid::detail {

/// Asks the ranks of a group whether they are there, for the message of a timeout: those waited for
/// may themselves wait for another rank, which is the one to look after. Returns
/// "; rank 5 on n5 does not answer" for each that does not within a second. Where all do, what
/// others soon say of a rank that failed elsewhere. Not collective.
std::string silent_ranks(Transport& transport, const Group& group);

}  // namespace cuboid::detail
