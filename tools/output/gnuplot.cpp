#include "tools/output/gnuplot.hpp"

#include <cuboid/error.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <sys/wait.h>

namespace cuboid::detail::tools {

namespace {

namespace fs = std::filesystem;

/// A folder of our own among the temporary files, gone at the end.
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
  fs::path file(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

struct Outcome {
  int exit_code = 0;
  std::string output;
};

Outcome run(const std::string& command) {
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot be started"};
  Outcome outcome;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.output.append(buffer.data(), count);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void require_gnuplot() {
  if (run("gnuplot --version").exit_code == 0) return;
  throw Error(ErrorCode::unsupported,
              "gnuplot draws the plots and is not installed: install it (Debian: "
              "gnuplot-nox)");
}

std::string plot_svg(const std::string& commands, const std::string& data) {
  const TemporaryFolder folder;
  const fs::path drawing = folder.file("plot.svg");
  const fs::path script = folder.file("plot.gp");
  std::ofstream(script) << "set terminal svg size 640,420 font 'sans-serif,12' background 'white'\n"
                        << "set output '" << drawing.string() << "'\n"
                        << "$data << END_OF_DATA\n"
                        << data << "END_OF_DATA\n"
                        << commands;
  const Outcome outcome = run(fmt::format("gnuplot '{}'", script.string()));
  const std::string svg = contents(drawing);
  const std::size_t start = svg.find("<svg");
  if (outcome.exit_code != 0 || start == std::string::npos)
    throw Error(ErrorCode::io, fmt::format("gnuplot failed: {}", outcome.output));
  return svg.substr(start);
}

}  // namespace cuboid::detail::tools
