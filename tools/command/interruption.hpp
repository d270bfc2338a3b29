#pragma once

#include <string>

namespace cuboid::detail::tools {

/// Makes SIGINT, SIGTERM and SIGHUP remove the files that are being written before they end the
/// process. Signals that are ignored stay ignored. To be called once, before anything is written.
void clean_up_when_interrupted();

/// What such a signal prints first, in one write after what was printed before: the end of a JSON
/// object, say, or the rows that are complete. Empty: nothing. The text is kept until the process
/// ends, as the handler may run at any time from now on.
void print_when_interrupted(std::string text);
/// Prints it now, unless it has been printed.
void print_last_words();

/// While an object of this class exists, the first such signal does not end the process, but makes
/// interrupted() true. The work then ends by itself, with the results it has. The second signal
/// ends the process.
class WorkThatEndsItself {
 public:
  /// @param speak  true: the first signal is acknowledged on standard error.
  explicit WorkThatEndsItself(bool speak);
  ~WorkThatEndsItself();
  WorkThatEndsItself(const WorkThatEndsItself&) = delete;
  WorkThatEndsItself& operator=(const WorkThatEndsItself&) = delete;
};

/// True after a signal during work that ends itself.
bool interrupted();

}  // namespace cuboid::detail::tools
