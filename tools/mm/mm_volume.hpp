#pragma once

#include "tools/command/command.hpp"
#include "tools/mm/mm_options.hpp"

namespace cuboid::detail::tools {

/// `cuboid mm --volume-only`: prints what every algorithm would communicate, without ranks and
/// data.
/// @param speak  whether this process prints; all plan, so that all fail alike.
/// Throws Error(invalid_argument) for more ranks than can be planned for in seconds, and what
/// planning throws.
ExitCode tell_volumes(const MmOptions& options, int ranks, bool speak);

}  // namespace cuboid::detail::tools
