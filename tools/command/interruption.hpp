#pragma once

namespace cuboid::detail::tools {

/// Makes SIGINT, SIGTERM and SIGHUP remove the files that are being written before they end the
/// process. Signals that are ignored stay ignored. To be called once, before anything is written.
void clean_up_when_interrupted();

}  // namespace cuboid::detail::tools
