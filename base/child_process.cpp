#include "base/child_process.hpp"

#include <cuboid/error.hpp>

#include "base/clock.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

/// A pipe from which this process reads a child's output.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw Error(ErrorCode::io,
                  fmt::format("cannot create a pipe to a program: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close_writing();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  /// Appends the available text. Returns false at the end of the stream.
  bool read_into(std::string& text) const {
    std::array<char, 1 << 16> buffer;
    const ssize_t count = read(ends_[0], buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// This process's environment, with `variables` replacing variables of the same names.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::ranges::any_of(
        variables, [&](const std::string& variable) { return variable.starts_with(name); });
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

pid_t start(std::vector<std::string> command, const std::vector<std::string>& variables,
            const Pipe& output, const Pipe& errors) {
  std::vector<std::string> environment = environment_with(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.writing(), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, command.front().c_str(), &actions, nullptr,
                                 pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw Error(ErrorCode::io,
                fmt::format("{} cannot be started: {}", command.front(), std::strerror(error)));
  }
  return child;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command,
                      const std::vector<std::string>& variables,
                      std::chrono::duration<double> limit) {
  constexpr std::chrono::seconds grace{10};
  constexpr int most_milliseconds = 200;  // longest wait before the next look at the clock
  Pipe output, errors;
  ChildResult result;
  const pid_t child = start(command, variables, output, errors);
  output.close_writing();
  errors.close_writing();

  const auto begin = Clock::now();
  bool killed = false;
  std::array<pollfd, 2> waiting{pollfd{output.reading(), POLLIN, 0},
                                pollfd{errors.reading(), POLLIN, 0}};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    poll(waiting.data(), waiting.size(), most_milliseconds);
    if (waiting[0].revents != 0 && !output.read_into(result.output)) waiting[0].fd = -1;
    if (waiting[1].revents != 0 && !errors.read_into(result.errors)) waiting[1].fd = -1;
    const auto passed = Clock::now() - begin;
    if (passed > limit && !result.timed_out) {
      result.timed_out = true;
      kill(child, SIGTERM);
    } else if (passed > limit + grace && !killed) {
      killed = true;
      kill(child, SIGKILL);
    } else if (passed > limit + 2 * grace) {
      break;  // a process that the child started keeps the pipes open
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return result;
  }
  if (WIFEXITED(status) && !result.timed_out) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace cuboid::detail
