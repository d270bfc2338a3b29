#pragma once

#include "collectives/transport/group.hpp"
#include "collectives/transport/transport.hpp"

#include <string>
#include <string_view>

namespace cuboid::detail {

/// Asks the ranks of a group whether they are there, for the message of a timeout: those waited for
/// may themselves wait for another rank, which is the one to look after. Returns
/// "; rank 5 on n5 does not answer" for each that does not within a second. Where all do, what
/// others soon say of a rank that failed elsewhere. Not collective.
std::string silent_ranks(Transport& transport, const Group& group);

/// What a wait says that ends at CUBOID_TIMEOUT, silent_ranks() included. Not collective.
/// @param waiting_for  the ranks, as the message names them.
std::string nothing_moved(Transport& transport, const Group& group, std::string_view waiting_for);

}  // namespace cuboid::detail
