#pragma once

#include <cuboid/tools/command.hpp>
#include <cuboid/tools/mm_options.hpp>

namespace cuboid::tools {

/// `cuboid mm --volume-only`: prints what every algorithm would communicate, without ranks and
/// data.
/// @param speak  whether this process prints; all plan, so that all fail alike.
/// Throws Error(invalid_argument) for more ranks than can be planned for in seconds, and what
/// planning throws.
ExitCode tell_volumes(const MmOptions& options, int ranks, bool speak);

}  // namespace cuboid::tools
