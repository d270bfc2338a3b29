#pragma once

namespace cuboid::detail::tools {

/// Makes SIGINT, SIGTERM and SIGHUP remove the files that are being written before they end the
/// process. Signals that are ignored stay ignored. To be called once, before anything is written.
void clean_up_when_interrupted();

/// What such a signal prints first, in one write after what was printed before: the end of a JSON
/// object, say. Null: nothing. A literal, as the handler may run at any time from now on.
void print_when_interrupted(const char* text);
/// Prints it now, unless it has been printed.
void print_last_words();

}  // namespace cuboid::detail::tools
