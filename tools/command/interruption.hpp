#pragma once

namespace cuboid::detail::tools {

/// Lets SIGINT, SIGTERM and SIGHUP remove the files that are being written before they end the
/// process; those that are ignored stay so. To be called once, before anything is written.
void clean_up_when_interrupted();

}  // namespace cuboid::detail::tools
