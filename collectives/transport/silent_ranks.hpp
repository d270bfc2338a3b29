#pragma once

#include "collectives/transport/group.hpp"
#include "collectives/transport/transport.hpp"

#include <string>
#include <string_view>

namespace cuboid::detail {

/// Asks the ranks of a group if they are there, for the text of a timeout. The ranks that this rank
/// waits for may themselves wait for another rank, which is the one to look at. Returns "; rank 5
/// on n5 does not answer" for each rank that does not answer within a second. If all answer,
/// returns what other ranks soon tell of a rank that failed elsewhere. Not collective.
std::string silent_ranks(Transport& transport, const Group& group);

/// The text of an error for a wait that ends at CUBOID_TIMEOUT, silent_ranks() included. Not
/// collective.
/// @param waiting_for  the ranks that it waits for, as the text names them
std::string nothing_moved(Transport& transport, const Group& group, std::string_view waiting_for);

}  // namespace cuboid::detail
