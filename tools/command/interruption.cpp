#include "tools/command/interruption.hpp"

#include "mm/files/interrupted_files.hpp"
#include "tools/command/command.hpp"

#include <atomic>
#include <csignal>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace cuboid::detail::tools {

namespace {

/// What the handler of a signal prints: handlers see nothing but what is static.
std::atomic<const char*> last_words = nullptr;

std::atomic<bool> ends_itself = false;
std::atomic<bool> acknowledged = false;
std::atomic<bool> caught = false;

void handle(int signal);

void catch_once(int signal) {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  sigaction(signal, &action, nullptr);
}

void handle(int signal) {
  if (ends_itself && !caught.exchange(true)) {
    catch_once(signal);
    constexpr std::string_view text =
        "\ncuboid: interrupted: what is under way ends; interrupt again to end at once\n";
    if (acknowledged) {
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    }
    return;
  }
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
    catch_once(signal);
  }
}

void print_when_interrupted(std::string text) {
  static std::deque<std::string> kept;
  last_words = text.empty() ? nullptr : kept.emplace_back(std::move(text)).c_str();
}

void print_last_words() {
  const char* const text = last_words.exchange(nullptr);
  if (text == nullptr) return;
  [[maybe_unused]] const ssize_t written = write(output_descriptor(), text, std::strlen(text));
}

WorkThatEndsItself::WorkThatEndsItself(bool speak) {
  acknowledged = speak;
  ends_itself = true;
}

WorkThatEndsItself::~WorkThatEndsItself() {
  ends_itself = false;
}

bool interrupted() {
  return caught;
}

}  // namespace cuboid::detail::tools
