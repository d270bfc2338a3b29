#include "tools/output/gnuplot.hpp"

#include <cuboid/error.hpp>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail::tools {

namespace {

namespace fs = std::filesystem;

constexpr const char* log_name = "gnuplot.log";

/// A temporary folder, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "cuboid-plot-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(ErrorCode::io, fmt::format("cannot create the folder {}", name));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs gnuplot in a folder, without a shell; its output goes to the file `log_name` in the folder.
/// Returns gnuplot's exit code, or -1 if it did not exit normally.
int run_gnuplot(const TemporaryFolder& folder, std::string argument) {
  std::string name = "gnuplot";
  std::array<char*, 3> arguments{name.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_name, O_WRONLY | O_CREAT | O_TRUNC,
                                   S_IRUSR | S_IWUSR);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, name.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool installed() {
  return run_gnuplot(TemporaryFolder(), "--version") == 0;
}

constexpr std::string_view missing = "gnuplot draws the plots and is not installed";
constexpr std::string_view remedy = ": install it (Debian: gnuplot-nox)";

}  // namespace

void require_gnuplot() {
  if (!installed()) throw Error(ErrorCode::unsupported, fmt::format("{}{}", missing, remedy));
}

bool plots_can_be_drawn(const Logger& logger) {
  if (installed()) return true;
  logger.warn(fmt::format("{}; results are written without plots{}", missing, remedy));
  return false;
}

std::string in_gnuplot_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

std::string plot_svg(const std::string& commands, const std::string& data, PlotSize size) {
  const TemporaryFolder folder;
  // The file names contain no special characters. The folder's path comes from the user's
  // environment and would have to be quoted.
  constexpr const char* drawing = "plot.svg";
  constexpr const char* script = "plot.gp";
  std::ofstream(folder.path() / script)
      << fmt::format("set terminal svg size {},{} font 'sans-serif,12' background 'white'\n",
                     size.width, size.height)
      << "set output '" << drawing << "'\n"
      << "$data << END_OF_DATA\n"
      << data << "END_OF_DATA\n"
      << commands;
  const int exit_code = run_gnuplot(folder, script);
  const std::string svg = contents(folder.path() / drawing);
  const std::size_t start = svg.find("<svg");
  if (exit_code != 0 || start == std::string::npos) {
    throw Error(ErrorCode::io,
                fmt::format("gnuplot failed: {}", contents(folder.path() / log_name)));
  }
  return svg.substr(start);
}

}  // namespace cuboid::detail::tools
