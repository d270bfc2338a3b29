#include "tools/command/interruption.hpp"

#include "mm/files/interrupted_files.hpp"

#include <csignal>

namespace cuboid::detail::tools {

namespace {

void clean_up_and_end(int signal) {
  remove_interrupted_files();
  std::raise(signal);  // its handler is the default again
}

}  // namespace

void clean_up_when_interrupted() {
  std::signal(SIGXFSZ, SIG_IGN);  // what is too long for ulimit -f is an error where it is written
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = clean_up_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace cuboid::detail::tools
