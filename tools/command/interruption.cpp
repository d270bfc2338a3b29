#include "tools/command/interruption.hpp"

#include "mm/files/interrupted_files.hpp"
#include "tools/command/command.hpp"

#include <atomic>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace cuboid::detail::tools {

namespace {

/// What the handler of a signal prints: handlers see nothing but what is static.
std::atomic<const char*> last_words = nullptr;

void clean_up_and_end(int signal) {
  print_last_words();
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

void print_when_interrupted(const char* text) {
  last_words = text;
}

void print_last_words() {
  const char* const text = last_words.exchange(nullptr);
  if (text == nullptr) return;
  [[maybe_unused]] const ssize_t written = write(output_descriptor(), text, std::strlen(text));
}

}  // namespace cuboid::detail::tools
