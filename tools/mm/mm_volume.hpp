#pragma once

#include "tools/command/command.hpp"
#include "tools/mm/mm_options.hpp"

namespace cuboid::detail::tools {

/// `cuboid mm --volume-only`: prints the communication volume of every algorithm, without ranks and
/// data.
/// @param speak  true if this process prints. All processes plan, so all fail alike.
/// Throws Error(invalid_argument) for more ranks than can be planned for in seconds, and what
/// planning throws.
ExitCode tell_volumes(const MmOptions& options, int ranks, bool speak);

}  // namespace cuboid::detail::tools
