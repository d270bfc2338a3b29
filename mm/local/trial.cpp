#include "mm/local/trial.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

[[noreturn]] void be_the_child(const std::function<void()>& attempt, unsigned int most_seconds) {
  const rlimit no_core_file{0, 0};
  setrlimit(RLIMIT_CORE, &no_core_file);
  sigset_t ending;
  sigemptyset(&ending);
  for (const int number : {SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) {
    std::signal(number, SIG_DFL);
    sigaddset(&ending, number);
  }
  sigprocmask(SIG_UNBLOCK, &ending, nullptr);
  alarm(most_seconds);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  try {
    attempt();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

bool survives(const std::function<void()>& attempt, unsigned int most_seconds) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) be_the_child(attempt, most_seconds);
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace cuboid::detail
